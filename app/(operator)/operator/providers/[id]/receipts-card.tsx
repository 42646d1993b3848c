"use client";

import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { CodeBlock } from "@/app/_ui/code-block";
import { formatCount } from "@/app/_ui/count";
import type { ProviderDetail } from "@/server/providers/operator-schema";
import { RECEIPT_URL_PLACES } from "../provider-words";

/** Where a provider reports to, and what came there in the last hour. */
export function ReceiptsCard({ provider: { id, receipt_url, last_hour } }: { provider: ProviderDetail }) {
  const figures = [
    ["Believed", last_hour.receipts],
    ["Forged", last_hour.receipts_forged],
    ["Too old", last_hour.receipts_stale],
    ["Repeated", last_hour.receipts_replayed],
    ["Unreadable", last_hour.receipts_unreadable],
  ] as const;
  return (
    <Card component="section" aria-labelledby="receipts">
      <Stack gap="md">
        <Title order={2} size="h4" id="receipts">
          Receipts
        </Title>
        <Text size="sm" c="dimmed">
          {RECEIPT_URL_PLACES[id]}
        </Text>
        {receipt_url && <CodeBlock value={receipt_url} copyLabel="Copy receipt URL" />}
        <Group gap="lg" component="dl" m={0}>
          {figures.map(([label, count]) => (
            <div key={label}>
              <Text component="dt" size="xs" c="dimmed" fw={500}>
                {label}
              </Text>
              <Text component="dd" m={0} size="sm" className="tabular">
                {formatCount(count)}
              </Text>
            </div>
          ))}
        </Group>
      </Stack>
    </Card>
  );
}
