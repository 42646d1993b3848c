"use client";

import { Box, Burger, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { frameTexts as texts } from "@/app/_texts/ui/frame";
import { OfflineNote } from "../connection/offline-note";
import { LoadingBar } from "./loading-bar";

/**
 * The frame of a page: the header, on wide screens a navigation next to it, and the content. Mantine's shell weighs 12 kB more,
 * because it can be resized by hand and locks scrolling.
 */
export function Shell({
  brand,
  header,
  navigation,
  navigationLabel,
  isDrawerOpen,
  onOpenDrawer,
  isBesideHeader = false,
  isCompact = false,
  children,
}: {
  /** At the head of the navigation; without it the header holds it. */
  brand?: ReactNode;
  header: ReactNode;
  /** null: the page has its own. */
  navigation: ReactNode | null;
  navigationLabel: string;
  isDrawerOpen: boolean;
  onOpenDrawer: () => void;
  /** The navigation reaches to the top of the window. */
  isBesideHeader?: boolean;
  /** Tables are compact. */
  isCompact?: boolean;
  children: ReactNode;
}) {
  const kind = navigation === null ? "alone" : isBesideHeader ? "beside" : "below";
  return (
    <div className="shell" data-navigation={kind} data-compact={isCompact || undefined}>
      <a href="#content" className="skip-link">
        {texts.skipToContent}
      </a>
      <LoadingBar />
      <header className="shell-header">
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isDrawerOpen}
            onClick={onOpenDrawer}
            hiddenFrom="md"
            size="sm"
            aria-label={texts.openNavigation}
          />
          {header}
        </Group>
      </header>
      {navigation !== null && (
        <Box component="nav" visibleFrom="md" className="shell-navigation" aria-label={navigationLabel}>
          {brand && <div className="shell-brand">{brand}</div>}
          <div className="nav-scroll">{navigation}</div>
        </Box>
      )}
      <main id="content" tabIndex={-1} className="shell-main">
        {children}
      </main>
      <OfflineNote />
    </div>
  );
}
