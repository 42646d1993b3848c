"use client";

import { Stack } from "@mantine/core";
import { usePathname } from "next/navigation";
import { docsTexts as texts } from "@/app/_texts/docs";
import { NavigationSection } from "@/app/_ui/frame/navigation-section";
import { IconBook2, IconCode } from "@/app/_ui/icons/icons";
import { GUIDES } from "@/server/api/document/guides";
import { hrefOf, REFERENCE_HREF } from "../_guides/list";

const sections = () => [
  { title: texts.guides, items: GUIDES.map(({ slug, label }) => ({ href: hrefOf(slug), label, icon: IconBook2 })) },
  { title: texts.reference, items: [{ href: REFERENCE_HREF, label: texts.apiReference, icon: IconCode }] },
];

/** The documentation's navigation. `onLeave` runs when a link is chosen, so that a drawer can close. */
export function DocsNavigation({ onLeave }: { onLeave?: () => void }) {
  const pathname = usePathname();
  return (
    <Stack gap="lg">
      {sections().map(({ title, items }) => (
        <NavigationSection
          key={title}
          title={title}
          items={items}
          isAt={(href) => pathname === href}
          onLeave={onLeave}
        />
      ))}
    </Stack>
  );
}
