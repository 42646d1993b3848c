"use client";

import { Button, Group } from "@mantine/core";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type { Membership } from "@/server/members/schema";

type Tab = { href: string; label: string; ownersOnly?: boolean };

const TABS: readonly Tab[] = [
  { href: "/settings", label: "Profile" },
  { href: "/settings/sending", label: "Sending" },
  { href: "/settings/security", label: "Security" },
  { href: "/settings/team", label: "Team" },
  { href: "/settings/alerts", label: "Alerts", ownersOnly: true },
  { href: "/settings/audit", label: "Audit log", ownersOnly: true },
];

/** The pages of the settings that the person's role opens. */
export function SettingsTabs({ role }: { role: Membership["role"] }) {
  const pathname = usePathname();
  return (
    <Group component="nav" aria-label="Settings" gap={4} mb="lg">
      {TABS.filter((tab) => role === "owner" || !tab.ownersOnly).map(({ href, label }) => {
        const isHere = pathname === href;
        return (
          <Button
            key={href}
            component={Link}
            href={href}
            size="compact-md"
            variant={isHere ? "light" : "subtle"}
            color={isHere ? undefined : "gray"}
            aria-current={isHere ? "page" : undefined}
          >
            {label}
          </Button>
        );
      })}
    </Group>
  );
}
