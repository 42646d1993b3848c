import { Center, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { Icon } from "@/app/_ui/icons/icon";

/** Shown for an empty list or page: the reason, and what to do next. */
export function EmptyState({
  icon: IconOf,
  title,
  children,
  action,
  isPage = false,
}: {
  icon: Icon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** Whether it is the only content of its page, so that its title is the page's. */
  isPage?: boolean;
}) {
  return (
    <Center py={{ base: "xl", sm: 56 }} px="md">
      <Stack align="center" gap="xs" maw={440} ta="center">
        <ThemeIcon size={52} radius="xl" variant="light" aria-hidden>
          <IconOf size={26} stroke={1.6} />
        </ThemeIcon>
        <Title order={isPage ? 1 : 2} size="h4" mt="xs">
          {title}
        </Title>
        {children && (
          <Text size="sm" c="dimmed" component="div">
            {children}
          </Text>
        )}
        {action && <div className="empty-action">{action}</div>}
      </Stack>
    </Center>
  );
}
