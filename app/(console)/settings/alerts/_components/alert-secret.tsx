"use client";

import { Button, Group, Stack } from "@mantine/core";
import { alertsTexts } from "@/app/_texts/settings/alerts";
import { trpc } from "@/app/_trpc/client";
import { isUnknown } from "@/app/_ui/changes/outcome";
import { useSingle } from "@/app/_ui/changes/use-single";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { IconRefresh } from "@/app/_ui/icons/icons";
import { Notice } from "@/app/_ui/notice";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { AlertSettings } from "@/server/alerts/schema";

/**
 * The signing secret of the alert URL: what was just made, and the way to another.
 * @param secret null: none was made; "": it was, and its response was lost.
 */
export function AlertSecret({
  settings,
  secret,
  onMade,
}: {
  settings: AlertSettings;
  secret: string | null;
  onMade: (secret: string) => void;
}) {
  const texts = alertsTexts.secret;
  const utils = trpc.useUtils();
  const renew = useSingle(utils.client.alerts.update.mutate, {
    late: { failed: texts.notMade, unknown: texts.unknown, next: texts.again },
    onSettled: () => void utils.alerts.get.invalidate(),
  });
  const ask = () => {
    // An unknown outcome stays unknown until it is tried again.
    if (!isUnknown(renew.error)) renew.reset();
    confirmAction({
      title: texts.question,
      children: texts.consequence,
      confirmLabel: texts.make,
      onConfirm: () => {
        const { low_balance, by_mail, url } = settings;
        renew.mutate(
          { low_balance, by_mail, url, new_secret: true },
          { onSuccess: ({ signing_secret }) => onMade(signing_secret ?? "") },
        );
      },
    });
  };
  // An empty part would have a gap of its own.
  if (settings.url === null && secret === null && !renew.error) return null;
  return (
    <Stack gap="md">
      {secret === "" && (
        <Notice title={texts.lost} role="alert">
          {texts.makeAnother}
        </Notice>
      )}
      {secret && (
        <>
          <Notice title={texts.copy}>{texts.use}</Notice>
          <SecretValue label={texts.label} value={secret} />
        </>
      )}
      <SaveAlert error={renew.error} title={texts.notMade} unknown={texts.unknown} again={texts.again} />
      {settings.url !== null && (
        <Group>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={renew.isPending}
            onClick={ask}
          >
            {texts.make}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
