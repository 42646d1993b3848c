"use client";

import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconRefresh } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { CodeBlock } from "@/app/_ui/values/code-block";
import { FigureList } from "@/app/_ui/values/figure-list";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { Time } from "@/app/_ui/values/time";
import type { ProviderDetail } from "@/server/providers/operator-schema";
import { RECEIPT_URL_PLACES } from "../provider-words";

/** The URL for delivery receipts, and the callbacks of the last hour by kind. */
export function ReceiptsCard({ provider }: { provider: ProviderDetail }) {
  const { id, receipt_url, is_receipt_url_rotatable, former_receipt_url_until, last_hour } = provider;
  const figures = [
    ["Valid", last_hour.receipts],
    ["Forged", last_hour.receipts_forged],
    ["Too old", last_hour.receipts_stale],
    ["Repeated", last_hour.receipts_replayed],
    ["Unreadable", last_hour.receipts_unreadable],
    ["Blocked", last_hour.receipts_blocked],
  ] as const;
  return (
    <Card component="section" aria-labelledby="receipts">
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h4" id="receipts">
            Delivery receipts
          </Title>
          {is_receipt_url_rotatable && <RotateButton id={id} />}
        </Group>
        <Text size="sm" c="dimmed">
          {RECEIPT_URL_PLACES[id]}
        </Text>
        {receipt_url && <CodeBlock value={receipt_url} copyLabel="Copy receipt URL" />}
        {former_receipt_url_until && (
          <Text size="sm">
            The former URL stops working <Time value={former_receipt_url_until} />.
          </Text>
        )}
        <FigureList figures={figures} />
      </Stack>
    </Card>
  );
}

function RotateButton({ id }: Pick<ProviderDetail, "id">) {
  const utils = trpc.useUtils();
  const rotate = trpc.operator.providers.rotateReceiptUrl.useMutation({
    onSuccess: (data) => {
      toastDone("Receipt URL rotated");
      utils.operator.providers.get.setData({ id }, data);
      return utils.operator.providers.invalidate();
    },
    onError: toastFailed,
  });
  const ask = () =>
    confirmAction({
      title: "Rotate the receipt URL?",
      children: `Wherever the current URL is entered at ${PROVIDER_NAMES[id]}, enter the new one: the current one works for a few more days, older ones no longer work.`,
      confirmLabel: "Rotate",
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
      Rotate URL
    </Button>
  );
}
