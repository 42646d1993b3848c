"use client";

import { Center, SimpleGrid } from "@mantine/core";
import { Donut } from "@/app/_ui/donut";
import { Table } from "@/app/_ui/lists/table";
import { formatCount } from "@/app/_ui/values/count";
import { MESSAGE_STATUS_VIEWS, MessageStatusBadge } from "@/app/_ui/values/message-status-badge";
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
          label={`Share of each status among ${formatCount(total)} messages`}
          parts={rows.map(({ label, tone, count }) => ({ name: label, value: count, color: TONE_COLORS[tone] }))}
        >
          {formatCount(total)}
        </Donut>
      </Center>
      <Table aria-label="Messages by status" cellPadding={10}>
        <thead>
          <tr>
            <th>Status</th>
            <th className="right">Messages</th>
            <th className="right">Share</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ status, count }) => (
            <tr key={status}>
              <td>
                <MessageStatusBadge status={status} />
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
