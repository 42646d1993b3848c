"use client";

import { Button, Group } from "@mantine/core";
import { usePathname } from "next/navigation";
import { settingsTabsTexts as texts } from "@/app/_texts/settings/tabs";
import { PageLink } from "@/app/_ui/frame/page-link";
import type { Membership } from "@/server/members/schema";

type Tab = { href: string; page: keyof typeof texts.pages; ownersOnly?: boolean };

const TABS: readonly Tab[] = [
  { href: "/settings", page: "profile" },
  { href: "/settings/sending", page: "sending" },
  { href: "/settings/security", page: "security" },
  { href: "/settings/team", page: "team" },
  { href: "/settings/alerts", page: "alerts", ownersOnly: true },
  { href: "/settings/audit", page: "audit", ownersOnly: true },
];

/** The pages of the settings that the person's role may open. */
export function SettingsTabs({ role }: { role: Membership["role"] }) {
  const pathname = usePathname();
  return (
    <Group component="nav" aria-label={texts.label} gap={4} mb="lg">
      {TABS.filter((tab) => role === "owner" || !tab.ownersOnly).map(({ href, page }) => {
        const isHere = pathname === href;
        return (
          <Button
            key={href}
            component={PageLink}
            href={href}
            size="compact-md"
            variant={isHere ? "light" : "subtle"}
            color={isHere ? undefined : "gray"}
            aria-current={isHere ? "page" : undefined}
          >
            {texts.pages[page]}
          </Button>
        );
      })}
    </Group>
  );
}
