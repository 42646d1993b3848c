import { Anchor, Group } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { IconArrowLeft } from "@/app/_ui/icons/icons";

/** Leads from a page about one thing back to the list of all. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor component={Link} href={href} size="sm" mb="xs" display="inline-block">
      <Group gap={4} wrap="nowrap">
        <IconArrowLeft size={16} aria-hidden /> {children}
      </Group>
    </Anchor>
  );
}
