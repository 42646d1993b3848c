"use client";

import { useMayChange } from "@/app/_shell/may-change";
import { sendingTexts as texts } from "@/app/_texts/settings/sending";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { QueryState } from "@/app/_ui/lists/query-state";
import { QuietHoursCard } from "./quiet-hours-card";

/** How this account sends. Developers and owners edit it, viewers read it. */
export function SendingView() {
  const mayChange = useMayChange();
  const account = trpc.accounts.get.useQuery();
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryState query={account}>
        {(data) => <QuietHoursCard hours={data.quiet_hours} canEdit={mayChange} />}
      </QueryState>
    </>
  );
}
