"use client";

import { Anchor, Group, Text } from "@mantine/core";
import { usePathname } from "next/navigation";
import { IconFlask } from "@/app/_ui/icons/icons";
import { SiteLink } from "../_ui/frame/site-link";

/** Pages that show the same in both modes, with what they show. */
const SAME_IN_BOTH: ReadonlyArray<readonly [path: string, shows: string]> = [
  ["/operator", "Operator pages always show live data."],
  ["/settings/audit", "The audit log shows changes of both modes."],
  ["/settings", "Settings are the same in both modes."],
];

/** Says on every page of test mode that it is one. */
export function TestModeBanner() {
  const pathname = usePathname();
  const [, shows] = SAME_IN_BOTH.find(([path]) => pathname === path || pathname.startsWith(`${path}/`)) ?? [];
  return (
    <Group component="aside" aria-label="Test mode" className="test-banner" gap="xs" wrap="nowrap" align="flex-start">
      <IconFlask size={18} stroke={1.8} aria-hidden />
      <Text size="sm">
        <strong>Test mode.</strong> {shows ?? "Nothing is sent or billed: only the sandbox takes these messages."}{" "}
        <Anchor component={SiteLink} href="/docs/test-mode" underline="always" inherit c="inherit">
          About test mode
        </Anchor>
      </Text>
    </Group>
  );
}
