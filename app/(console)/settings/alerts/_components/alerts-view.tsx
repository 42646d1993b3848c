"use client";

import { Stack } from "@mantine/core";
import { alertsTexts as texts } from "@/app/_texts/settings/alerts";
import { trpc } from "@/app/_trpc/client";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { QueryState } from "@/app/_ui/lists/query-state";
import { AlertSettingsCard } from "./alert-settings-card";
import { AlertsCard } from "./alerts-card";

/** The account's alert settings, and its latest alerts. Both are for owners, which others are told once. */
export function AlertsView() {
  const settings = trpc.alerts.get.useQuery();
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Stack gap="lg">
        <QueryState query={settings}>{(data) => <AlertSettingsCard settings={data} />}</QueryState>
        {apiErrorOf(settings.error).status !== 403 && <AlertsCard />}
      </Stack>
    </>
  );
}
