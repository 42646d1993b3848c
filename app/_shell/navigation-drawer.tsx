"use client";

import { Box, Drawer } from "@mantine/core";
import type { Membership } from "@/server/members/schema";
import { useOpenAfterMount } from "../_ui/frame/use-open-after-mount";
import { Home } from "./home";
import { Navigation } from "./navigation";
import { TestModeSwitch } from "./test-mode-switch";

const WIDTH = 288;

/** The navigation on narrow screens. */
export function NavigationDrawer({
  opened,
  onClose,
  isOperator,
  role,
  isTestMode,
}: {
  opened: boolean;
  onClose: () => void;
  isOperator: boolean;
  role: Membership["role"];
  isTestMode: boolean;
}) {
  return (
    <Drawer
      opened={useOpenAfterMount(opened)}
      onClose={onClose}
      size={WIDTH}
      hiddenFrom="md"
      title={<Home onLeave={onClose} />}
      closeButtonProps={{ "aria-label": "Close navigation" }}
    >
      <Box hiddenFrom="sm" px="sm" pb="md">
        <TestModeSwitch isOn={isTestMode} />
      </Box>
      <nav aria-label="Main">
        <Navigation isOperator={isOperator} role={role} onLeave={onClose} />
      </nav>
    </Drawer>
  );
}
