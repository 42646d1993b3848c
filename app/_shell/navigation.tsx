"use client";

import { Stack } from "@mantine/core";
import { usePathname } from "next/navigation";
import { useLayoutEffect, useRef } from "react";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
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
import { useMayChange } from "./may-change";

/** `changes`: a page to change something. */
type Item = NavigationItem & { changes?: boolean };
type Section = { title: string; items: Item[]; operatorOnly: boolean };

/** The pages of the console by their sections. */
export const sections = (): Section[] => [
  {
    title: texts.sections.messaging,
    operatorOnly: false,
    items: [
      { href: "/", label: texts.pages.overview, icon: IconHome },
      { href: "/send", label: texts.pages.send, icon: IconSend, changes: true },
      { href: "/messages", label: texts.pages.messages, icon: IconMessages },
      { href: "/inbound", label: texts.pages.inbound, icon: IconInbox },
      { href: "/usage", label: texts.pages.usage, icon: IconChartBar },
    ],
  },
  {
    title: texts.sections.setup,
    operatorOnly: false,
    items: [
      { href: "/senders", label: texts.pages.senders, icon: IconAddressBook },
      { href: "/suppressions", label: texts.pages.suppressions, icon: IconMessageOff },
      { href: "/api-keys", label: texts.pages.apiKeys, icon: IconKey },
      { href: "/webhooks", label: texts.pages.webhooks, icon: IconWebhook },
      { href: "/events", label: texts.pages.events, icon: IconActivity },
      { href: "/requests", label: texts.pages.requests, icon: IconListSearch },
      { href: "/settings", label: texts.pages.settings, icon: IconSettings },
      { href: "/docs", label: texts.pages.docs, icon: IconBook2 },
    ],
  },
  {
    title: texts.sections.operator,
    operatorOnly: true,
    items: [
      { href: "/operator", label: texts.pages.installation, icon: IconHeartbeat },
      { href: "/operator/senders", label: texts.pages.senderReview, icon: IconUserCheck },
      { href: "/operator/accounts", label: texts.pages.accounts, icon: IconBuilding },
      { href: "/operator/providers", label: texts.pages.providers, icon: IconServer2 },
      { href: "/operator/routes", label: texts.pages.routes, icon: IconRoute },
      { href: "/operator/suppressions", label: texts.pages.allSuppressions, icon: IconBan },
      { href: "/operator/audit", label: texts.pages.allAuditEntries, icon: IconHistory },
    ],
  },
];

/** Home pages: the addresses of other pages begin with theirs. */
const HOMES = ["/", "/operator"];

const isAt = (pathname: string, href: string) =>
  HOMES.includes(href) ? pathname === href : pathname === href || pathname.startsWith(`${href}/`);

/** True until the navigation is first rendered after a page load. */
let isFirst = true;

/** The console's navigation. `onLeave` runs when a link is chosen, so that a drawer can close. */
export function Navigation({ isOperator, onLeave }: { isOperator: boolean; onLeave?: () => void }) {
  const mayChange = useMayChange();
  const pathname = usePathname();
  const links = useRef<HTMLDivElement>(null);
  // A page may be opened from elsewhere, and the navigation may be longer than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on another page, another link is the current one.
  useLayoutEffect(() => {
    // After a page load people see the links before this runs: they must not move away from under a pointer.
    const isInUse = isFirst && links.current?.matches(":hover, :focus-within");
    isFirst = false;
    if (!isInUse) links.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
  }, [pathname]);
  return (
    <Stack gap="lg" ref={links}>
      {sections()
        .filter((section) => isOperator || !section.operatorOnly)
        .map((section) => (
          <NavigationSection
            key={section.title}
            title={section.title}
            items={section.items.filter((item) => mayChange || !item.changes)}
            isAt={(href) => isAt(pathname, href)}
            onLeave={onLeave}
          />
        ))}
    </Stack>
  );
}
