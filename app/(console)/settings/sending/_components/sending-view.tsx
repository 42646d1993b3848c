"use client";

import { Stack } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import { useMayChange } from "@/app/_shell/may-change";
import { sendingTexts as texts } from "@/app/_texts/settings/sending";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { QueryState } from "@/app/_ui/lists/query-state";
import { CountriesCard } from "./countries-card";
import { QuietHoursCard } from "./quiet-hours-card";
import { SpendingCapCard } from "./spending-cap-card";
import { TextRetentionCard } from "./text-retention-card";

/**
 * How this account sends. Owners edit everything, developers the quiet hours, viewers read. `?without=NG` takes a country out, to be
 * saved, of live messages only. In test mode, where nothing costs money, there is no cap.
 */
export function SendingView({ countries }: { countries: readonly string[] }) {
  const mayChange = useMayChange();
  const viewer = trpc.auth.viewer.useQuery();
  const account = trpc.accounts.get.useQuery();
  const asked = useSearchParams().get("without");
  const isOwner = viewer.data?.role === "owner";
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryState query={account}>
        {(data) => (
          <Stack gap="lg">
            <CountriesCard
              limits={data.sending_limits}
              countries={countries}
              removed={data.livemode && asked !== null && countries.includes(asked) ? asked : null}
              canEdit={isOwner}
            />
            {data.livemode && <SpendingCapCard account={data} canEdit={isOwner} />}
            <QuietHoursCard hours={data.quiet_hours} canEdit={mayChange} />
            <TextRetentionCard account={data} canEdit={isOwner} />
          </Stack>
        )}
      </QueryState>
    </>
  );
}
