import { Card, Group, Skeleton, Text, ThemeIcon } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import type { Icon } from "@/app/_ui/icons/icon";

/** One figure with its label. `value` undefined: loading. */
export function StatCard({
  label,
  value,
  hint,
  icon: IconOf,
}: {
  label: string;
  value: string | undefined;
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
        <div className="figure-line" style={{ "--characters": value.length } as CSSProperties}>
          <Text lh={1.3} fw={650} mt={2} className="figure tabular break-word">
            {value}
          </Text>
        </div>
      )}
      {hint && (
        <Text size="xs" c="dimmed" mt={4} component="div">
          {hint}
        </Text>
      )}
    </Card>
  );
}
