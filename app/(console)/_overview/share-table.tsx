import { Card, Group, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { formatCount } from "@/app/_ui/values/count";

type Row = { key: string; name: ReactNode; count: number; note: ReactNode };

/** The parts of a period, the largest first, each with a bar for its share of the largest. */
export function ShareTable({
  id,
  title,
  columns: [name, count, note],
  rows,
  empty,
  hint,
}: {
  id: string;
  title: string;
  /** Headings of the name, the count and the note. */
  columns: readonly [string, string, string];
  rows: readonly Row[];
  /** Shown instead of an empty table. */
  empty: string;
  /** Set when the numbers cover only a part: which part. */
  hint?: string;
}) {
  const largest = Math.max(1, ...rows.map((row) => row.count));
  return (
    <Card component="section" aria-labelledby={id} padding={0}>
      <Group justify="space-between" p="lg" pb="xs">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {hint && rows.length > 0 && (
          <Text size="xs" c="dimmed">
            {hint}
          </Text>
        )}
      </Group>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed" px="lg" pb="lg">
          {empty}
        </Text>
      ) : (
        <Table aria-labelledby={id} verticalSpacing={8} withRowBorders={false} mb="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{name}</Table.Th>
              <Table.Th ta="right">{count}</Table.Th>
              <Table.Th ta="right">{note}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.key}>
                <Table.Td>
                  {row.name}
                  <div className="share-track">
                    <div className="share-bar" style={{ width: `${(row.count / largest) * 100}%` }} />
                  </div>
                </Table.Td>
                <Table.Td ta="right" className="tabular">
                  {formatCount(row.count)}
                </Table.Td>
                <Table.Td ta="right" c="dimmed" className="tabular nowrap">
                  {row.note}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Card>
  );
}
