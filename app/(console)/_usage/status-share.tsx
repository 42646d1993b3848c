"use client";

import { Center, SimpleGrid } from "@mantine/core";
import { sharedTexts } from "@/app/_texts/shared";
import { usageTexts as texts } from "@/app/_texts/usage";
import { Donut } from "@/app/_ui/donut";
import { Table } from "@/app/_ui/lists/table";
import { formatCount } from "@/app/_ui/values/count";
import { MESSAGE_STATUS_VIEWS, StatusName } from "@/app/_ui/values/message-status-badge";
import { formatShare } from "@/app/_ui/values/share";
import { TONE_COLORS } from "@/app/_ui/values/status-badge";
import type { Usage } from "@/server/accounts/schema";

/** The messages of a period by their current status, as a chart and a table. */
export function StatusShare({ usage }: { usage: Pick<Usage, "totals" | "by_status"> }) {
  const rows = MESSAGE_STATUS_VIEWS.map((view) => ({ ...view, count: usage.by_status[view.status] }));
  const total = usage.totals.messages;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="md">
      <Center>
        <Donut
          label={texts.byStatus.chart(total, formatCount(total))}
          parts={rows.map(({ label, tone, count }) => ({ name: label, value: count, color: TONE_COLORS[tone] }))}
        >
          {formatCount(total)}
        </Donut>
      </Center>
      <Table aria-label={texts.byStatus.table} cellPadding={10}>
        <thead>
          <tr>
            <th>{sharedTexts.status}</th>
            <th className="right">{texts.messages}</th>
            <th className="right">{texts.byStatus.share}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ status, count }) => (
            <tr key={status}>
              <td>
                <StatusName status={status} />
              </td>
              <td className="right tabular">{formatCount(count)}</td>
              <td className="right dimmed tabular">{formatShare(count, total)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </SimpleGrid>
  );
}
