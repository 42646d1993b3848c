import { Group, type GroupProps, Text } from "@mantine/core";
import { formatCount } from "./count";

/** Counts side by side, each with its label above. */
export function FigureList({
  figures,
  ...group
}: { figures: readonly (readonly [label: string, count: number])[] } & Pick<GroupProps, "mt">) {
  return (
    <Group gap="lg" component="dl" my={0} mx={0} {...group}>
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
  );
}
