import { Anchor, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { IconArrowLeft } from "@/app/_ui/icons/icons";
import { lastAddressOf } from "../lists/last-query";
import { PageLink } from "./page-link";

/** Leads from the page of one thing back to the list, with the list's last filters. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor component={PageLink} href={lastAddressOf(href)} size="sm" mb="xs" display="inline-block">
      <Group gap={4} wrap="nowrap">
        <IconArrowLeft size={16} aria-hidden /> {children}
      </Group>
    </Anchor>
  );
}
