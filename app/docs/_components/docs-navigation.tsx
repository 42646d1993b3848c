"use client";

import { NavLink, Stack, Text } from "@mantine/core";
import { IconBook2, IconCode } from "@tabler/icons-react";
import { usePathname } from "next/navigation";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { GUIDES } from "@/server/api/document/guides";
import { hrefOf, REFERENCE_HREF } from "../_guides/list";

const SECTIONS = [
  { title: "Guides", icon: IconBook2, items: GUIDES.map(({ slug, label }) => ({ href: hrefOf(slug), label })) },
  { title: "Reference", icon: IconCode, items: [{ href: REFERENCE_HREF, label: "API reference" }] },
];

/** The documentation's navigation. `onLeave` runs when a link is chosen, so that a drawer can close. */
export function DocsNavigation({ onLeave }: { onLeave?: () => void }) {
  const pathname = usePathname();
  return (
    <Stack gap="lg">
      {SECTIONS.map(({ title, icon: IconOf, items }) => (
        <Stack key={title} gap={2}>
          <Text size="xs" fw={600} c="dimmed" px="sm" mb={4}>
            {title}
          </Text>
          {items.map(({ href, label }) => (
            <NavLink
              key={href}
              component={SiteLink}
              href={href}
              label={label}
              leftSection={<IconOf size={18} stroke={1.7} aria-hidden />}
              active={pathname === href}
              aria-current={pathname === href ? "page" : undefined}
              onClick={onLeave}
              className="nav-item"
            />
          ))}
        </Stack>
      ))}
    </Stack>
  );
}
