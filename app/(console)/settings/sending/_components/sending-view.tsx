"use client";

import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { QueryState } from "@/app/_ui/lists/query-state";
import { QuietHoursCard } from "./quiet-hours-card";

/** How this account sends. Developers and owners edit it, viewers read it. */
export function SendingView() {
  const viewer = trpc.auth.viewer.useQuery();
  const account = trpc.accounts.get.useQuery();
  return (
    <>
      <PageHeader title="Sending" description="When this account sends messages." />
      <QueryState query={account}>
        {(data) => <QuietHoursCard hours={data.quiet_hours} canEdit={viewer.data?.role !== "viewer"} />}
      </QueryState>
    </>
  );
}
