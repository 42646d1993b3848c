"use client";

import { Drawer } from "@mantine/core";
import { Home } from "./home";
import { Navigation } from "./navigation";

const WIDTH = 288;

/** The navigation on narrow screens. */
export function NavigationDrawer({
  opened,
  onClose,
  isOperator,
}: {
  opened: boolean;
  onClose: () => void;
  isOperator: boolean;
}) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={WIDTH}
      hiddenFrom="md"
      title={<Home onLeave={onClose} />}
      closeButtonProps={{ "aria-label": "Close navigation" }}
    >
      <nav aria-label="Main">
        <Navigation isOperator={isOperator} onLeave={onClose} />
      </nav>
    </Drawer>
  );
}
