"use client";

import { Stack } from "@mantine/core";
import { usePathname } from "next/navigation";
import { type NavigationItem, NavigationSection } from "@/app/_ui/frame/navigation-section";
import {
  IconActivity,
  IconAddressBook,
  IconBan,
  IconBook2,
  IconBuilding,
  IconChartBar,
  IconHeartbeat,
  IconHistory,
  IconHome,
  IconInbox,
  IconKey,
  IconListSearch,
  IconMessageOff,
  IconMessages,
  IconRoute,
  IconSend,
  IconServer2,
  IconSettings,
  IconUserCheck,
  IconWebhook,
} from "@/app/_ui/icons/icons";
import type { Membership } from "@/server/members/schema";

/** `changes`: a page to change something, which viewers may not. */
type Item = NavigationItem & { changes?: boolean };
type Section = { title: string; items: Item[]; operatorOnly: boolean };

/** The pages of the console by their sections. */
export const SECTIONS: Section[] = [
  {
    title: "Messaging",
    operatorOnly: false,
    items: [
      { href: "/", label: "Overview", icon: IconHome },
      { href: "/send", label: "Send a message", icon: IconSend, changes: true },
      { href: "/messages", label: "Messages", icon: IconMessages },
      { href: "/inbound", label: "Inbound", icon: IconInbox },
      { href: "/usage", label: "Usage", icon: IconChartBar },
    ],
  },
  {
    title: "Setup",
    operatorOnly: false,
    items: [
      { href: "/senders", label: "Senders", icon: IconAddressBook },
      { href: "/suppressions", label: "Suppressions", icon: IconMessageOff },
      { href: "/api-keys", label: "API keys", icon: IconKey },
      { href: "/webhooks", label: "Webhooks", icon: IconWebhook },
      { href: "/events", label: "Events", icon: IconActivity },
      { href: "/requests", label: "Request log", icon: IconListSearch },
      { href: "/settings", label: "Settings", icon: IconSettings },
      { href: "/docs", label: "API documentation", icon: IconBook2 },
    ],
  },
  {
    title: "Operator",
    operatorOnly: true,
    items: [
      { href: "/operator", label: "Installation", icon: IconHeartbeat },
      { href: "/operator/senders", label: "Sender review", icon: IconUserCheck },
      { href: "/operator/accounts", label: "Accounts", icon: IconBuilding },
      { href: "/operator/providers", label: "Providers", icon: IconServer2 },
      { href: "/operator/routes", label: "Routes and prices", icon: IconRoute },
      { href: "/operator/suppressions", label: "All suppressions", icon: IconBan },
      { href: "/operator/audit", label: "All audit entries", icon: IconHistory },
    ],
  },
];

/** Home pages, below whose addresses the others lie. */
const HOMES = ["/", "/operator"];

const isAt = (pathname: string, href: string) =>
  HOMES.includes(href) ? pathname === href : pathname === href || pathname.startsWith(`${href}/`);

/** The console's navigation. `onLeave` runs when a link is chosen, so that a drawer can close. */
export function Navigation({
  isOperator,
  role,
  onLeave,
}: {
  isOperator: boolean;
  role: Membership["role"];
  onLeave?: () => void;
}) {
  const pathname = usePathname();
  return (
    <Stack gap="lg">
      {SECTIONS.filter((section) => isOperator || !section.operatorOnly).map((section) => (
        <NavigationSection
          key={section.title}
          title={section.title}
          items={section.items.filter((item) => role !== "viewer" || !item.changes)}
          isAt={(href) => isAt(pathname, href)}
          onLeave={onLeave}
        />
      ))}
    </Stack>
  );
}
