"use client";

import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import { frameTexts as texts } from "@/app/_texts/ui/frame";
import { useOpenAfterMount } from "./use-open-after-mount";

const WIDTH = 288;

/** The navigation of the site on narrow screens. Load it when it is first opened. */
export function SiteDrawer({
  opened,
  onClose,
  title,
  label,
  above,
  children,
}: {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Accessible name of the navigation. */
  label: string;
  /** Shown above the navigation. */
  above?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Drawer
      opened={useOpenAfterMount(opened)}
      onClose={onClose}
      size={WIDTH}
      hiddenFrom="md"
      title={title}
      closeButtonProps={{ "aria-label": texts.closeNavigation }}
    >
      {above}
      <nav aria-label={label}>{children}</nav>
    </Drawer>
  );
}
