"use client";

import { Drawer } from "@mantine/core";
import { Brand } from "@/app/_ui/frame/brand";
import { useOpenAfterMount } from "@/app/_ui/frame/use-open-after-mount";
import { DocsNavigation } from "./docs-navigation";

const WIDTH = 288;

/** The navigation of the documentation on narrow screens. */
export function DocsDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={useOpenAfterMount(opened)}
      onClose={onClose}
      size={WIDTH}
      hiddenFrom="md"
      title={<Brand />}
      closeButtonProps={{ "aria-label": "Close navigation" }}
    >
      <nav aria-label="Guides">
        <DocsNavigation onLeave={onClose} />
      </nav>
    </Drawer>
  );
}
