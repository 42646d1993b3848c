import { Card, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Table } from "@/app/_ui/lists/table";
import { formatCount } from "@/app/_ui/values/count";

type Row = { key: string; name: ReactNode; count: number; note?: ReactNode };

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
  /** Headings of the name, the count and, if rows have one, the note. */
  columns: readonly [name: string, count: string, note?: string];
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
        <Table aria-labelledby={id} cellPadding={8} isRuled={false} mb="sm">
          <thead>
            <tr>
              <th>{name}</th>
              <th className="right">{count}</th>
              {note && <th className="right">{note}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <td>
                  {row.name}
                  <div className="share-track">
                    <div className="share-bar" style={{ width: `${(row.count / largest) * 100}%` }} />
                  </div>
                </td>
                <td className="right tabular">{formatCount(row.count)}</td>
                {note && <td className="right dimmed tabular nowrap">{row.note}</td>}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}
