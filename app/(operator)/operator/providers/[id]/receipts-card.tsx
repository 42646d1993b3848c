"use client";

import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { providerTexts } from "@/app/_texts/operator/provider";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconRefresh } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { CodeBlock } from "@/app/_ui/values/code-block";
import { FigureList } from "@/app/_ui/values/figure-list";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { Time } from "@/app/_ui/values/time";
import type { ProviderDetail } from "@/server/providers/operator-schema";

/** The URL for delivery receipts, and the callbacks of the last hour by kind. */
export function ReceiptsCard({ provider }: { provider: ProviderDetail }) {
  const { id, receipt_url, is_receipt_url_rotatable, former_receipt_url_until, last_hour } = provider;
  const texts = providerTexts.receipts;
  const figures = [
    [texts.valid, last_hour.receipts],
    [texts.forged, last_hour.receipts_forged],
    [texts.tooOld, last_hour.receipts_stale],
    [texts.repeated, last_hour.receipts_replayed],
    [texts.unreadable, last_hour.receipts_unreadable],
    [texts.blocked, last_hour.receipts_blocked],
  ] as const;
  return (
    <Card component="section" aria-labelledby="receipts">
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h4" id="receipts">
            {texts.title}
          </Title>
          {is_receipt_url_rotatable && <RotateButton id={id} url={receipt_url} />}
        </Group>
        <Text size="sm" c="dimmed">
          {texts.places[id]}
        </Text>
        {receipt_url && <CodeBlock value={receipt_url} copyLabel={texts.copyUrl} />}
        {former_receipt_url_until && (
          <Text size="sm">{texts.formerUrlStops(<Time value={former_receipt_url_until} />)}</Text>
        )}
        <FigureList figures={figures} />
      </Stack>
    </Card>
  );
}

function RotateButton({ id, url }: Pick<ProviderDetail, "id"> & { url: string | null }) {
  const texts = providerTexts.receipts;
  const utils = trpc.useUtils();
  const rotate = useChange(utils.client.operator.providers.rotateReceiptUrl.mutate, {
    // A second rotation would end the URL that the provider still has.
    look: async () => {
      const found = await utils.client.operator.providers.get.query({ id });
      return found.receipt_url === url ? undefined : found;
    },
    onSuccess: (data) => {
      toastDone(texts.rotated);
      utils.operator.providers.get.setData({ id }, data);
    },
    onError: toastFailed,
    onSettled: () => utils.operator.providers.invalidate(),
  });
  const ask = () =>
    confirmAction({
      title: texts.askToRotate,
      children: texts.rotation(PROVIDER_NAMES[id]),
      confirmLabel: texts.rotate,
      danger: true,
      onConfirm: () => rotate.mutate({ id }),
    });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={16} />}
      loading={rotate.isPending}
      onClick={ask}
    >
      {texts.rotateUrl}
    </Button>
  );
}
