"use client";

import { Anchor, Group, Text } from "@mantine/core";
import { usePathname } from "next/navigation";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { IconFlask } from "@/app/_ui/icons/icons";
import { SiteLink } from "../_ui/frame/site-link";

/** Pages about which the banner says which modes they show, the more particular paths first. */
const TEXTS_OF_PAGES: ReadonlyArray<readonly [path: string, shows: keyof typeof texts.testMode.pages]> = [
  ["/operator", "operator"],
  ["/settings/audit", "audit"],
  ["/settings/sending", "sending"],
  ["/settings", "settings"],
];

/** Says on every page of test mode that it is one. */
export function TestModeBanner() {
  const pathname = usePathname();
  const [, shows] = TEXTS_OF_PAGES.find(([path]) => pathname === path || pathname.startsWith(`${path}/`)) ?? [];
  return (
    <Group
      component="aside"
      aria-label={texts.testMode.label}
      className="test-banner"
      gap="xs"
      wrap="nowrap"
      align="flex-start"
    >
      <IconFlask size={18} stroke={1.8} aria-hidden />
      <Text size="sm">
        <strong>{texts.testMode.title}</strong> {shows ? texts.testMode.pages[shows] : texts.testMode.nothingIsSent}{" "}
        <Anchor component={SiteLink} href="/docs/test-mode" underline="always" inherit c="inherit">
          {texts.testMode.about}
        </Anchor>
      </Text>
    </Group>
  );
}
