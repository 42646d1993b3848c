"use client";

import { providerTexts as texts } from "@/app/_texts/operator/provider";
import { IconServer2 } from "@/app/_ui/icons/icons";
import { NotFoundCard } from "@/app/_ui/lists/not-found-card";

/** Next's own page for what is missing would stand inside the shell of this page, with a shell of its own. */
export const NoSuchProvider = () => (
  <NotFoundCard
    icon={IconServer2}
    title={texts.notFound}
    why={texts.noSuchId}
    all={{ href: "/operator/providers", label: texts.allProviders }}
  />
);
