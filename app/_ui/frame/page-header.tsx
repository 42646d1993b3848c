import { Box, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** The title of a page, one line of description, and its main actions. */
export function PageHeader({
  title,
  description,
  actions,
}: {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg">
      <Box flex="1 1 260px" miw={0}>
        <Title order={1} size="h2">
          {title}
        </Title>
        {description && (
          <Text c="dimmed" mt={4} maw={640} className="even-lines">
            {description}
          </Text>
        )}
      </Box>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}
