"use client";

import { Anchor, Group, Text } from "@mantine/core";
import { usePathname } from "next/navigation";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { IconFlask } from "@/app/_ui/icons/icons";
import { SiteLink } from "../_ui/frame/site-link";

/** Pages that show the same in both modes, each with the text that says so. */
const SAME_IN_BOTH: ReadonlyArray<readonly [path: string, shows: keyof typeof texts.testMode.sameInBoth]> = [
  ["/operator", "operator"],
  ["/settings/audit", "audit"],
  ["/settings", "settings"],
];

/** Says on every page of test mode that it is one. */
export function TestModeBanner() {
  const pathname = usePathname();
  const [, shows] = SAME_IN_BOTH.find(([path]) => pathname === path || pathname.startsWith(`${path}/`)) ?? [];
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
        <strong>{texts.testMode.title}</strong>{" "}
        {shows ? texts.testMode.sameInBoth[shows] : texts.testMode.nothingIsSent}{" "}
        <Anchor component={SiteLink} href="/docs/test-mode" underline="always" inherit c="inherit">
          {texts.testMode.about}
        </Anchor>
      </Text>
    </Group>
  );
}
