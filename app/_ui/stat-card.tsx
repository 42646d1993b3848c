import { Card, Group, Skeleton, Text, ThemeIcon } from "@mantine/core";
import type { ReactNode } from "react";
import type { Icon } from "@/app/_ui/icons/icon";

/** One figure with its label. `value` undefined: loading. */
export function StatCard({
  label,
  value,
  hint,
  icon: IconOf,
}: {
  label: string;
  value: ReactNode | undefined;
  hint?: ReactNode;
  icon?: Icon;
}) {
  return (
    <Card component="section" aria-label={label} p={{ base: "md", sm: "lg" }}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <Text size="sm" c="dimmed" fw={500}>
          {label}
        </Text>
        {IconOf && (
          <ThemeIcon variant="light" size="md" aria-hidden visibleFrom="xs">
            <IconOf size={16} />
          </ThemeIcon>
        )}
      </Group>
      {value === undefined ? (
        <>
          <Skeleton height={30} width="60%" mt={6} />
          <Skeleton height={12} width="80%" mt={8} />
        </>
      ) : (
        <Text fz={{ base: 20, xs: 26 }} lh={1.3} fw={650} mt={2} className="tabular break-word">
          {value}
        </Text>
      )}
      {hint && (
        <Text size="xs" c="dimmed" mt={4} component="div">
          {hint}
        </Text>
      )}
    </Card>
  );
}
