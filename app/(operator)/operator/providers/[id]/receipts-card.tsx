"use client";

import { Card, Stack, Text, Title } from "@mantine/core";
import { CodeBlock } from "@/app/_ui/values/code-block";
import { FigureList } from "@/app/_ui/values/figure-list";
import type { ProviderDetail } from "@/server/providers/operator-schema";
import { RECEIPT_URL_PLACES } from "../provider-words";

/** The URL for delivery receipts, and the callbacks of the last hour by kind. */
export function ReceiptsCard({ provider: { id, receipt_url, last_hour } }: { provider: ProviderDetail }) {
  const figures = [
    ["Valid", last_hour.receipts],
    ["Forged", last_hour.receipts_forged],
    ["Too old", last_hour.receipts_stale],
    ["Repeated", last_hour.receipts_replayed],
    ["Unreadable", last_hour.receipts_unreadable],
  ] as const;
  return (
    <Card component="section" aria-labelledby="receipts">
      <Stack gap="md">
        <Title order={2} size="h4" id="receipts">
          Delivery receipts
        </Title>
        <Text size="sm" c="dimmed">
          {RECEIPT_URL_PLACES[id]}
        </Text>
        {receipt_url && <CodeBlock value={receipt_url} copyLabel="Copy receipt URL" />}
        <FigureList figures={figures} />
      </Stack>
    </Card>
  );
}
