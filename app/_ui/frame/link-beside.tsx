import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { sharedTexts } from "@/app/_texts/shared";

/** A link in a sentence next to a form. It opens a new tab, because leaving this page would lose what was entered. */
export function LinkBeside({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor href={href} target="_blank" rel="noopener" underline="always" inherit>
      {children} {sharedTexts.inNewTab}
    </Anchor>
  );
}
