import { NavLink, Stack, Text } from "@mantine/core";
import type { Icon } from "@/app/_ui/icons/icon";
import { SiteLink } from "./site-link";

export type NavigationItem = { href: string; label: string; icon: Icon };

/** Links of a navigation below their title. `onLeave` runs when one is chosen. */
export function NavigationSection({
  title,
  items,
  isAt,
  onLeave,
}: {
  title: string;
  items: readonly NavigationItem[];
  /** Whether the page that is open belongs to this address. */
  isAt: (href: string) => boolean;
  onLeave?: () => void;
}) {
  return (
    <Stack gap={2}>
      <Text size="xs" fw={600} c="dimmed" px="sm" mb={4}>
        {title}
      </Text>
      {items.map(({ href, label, icon: IconOf }) => (
        <NavLink
          key={href}
          component={SiteLink}
          href={href}
          label={label}
          leftSection={<IconOf size={18} stroke={1.7} aria-hidden />}
          active={isAt(href)}
          aria-current={isAt(href) ? "page" : undefined}
          onClick={onLeave}
          className="nav-item"
        />
      ))}
    </Stack>
  );
}
