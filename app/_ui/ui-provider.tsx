"use client";

import { MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { surfaces, theme } from "./theme";

/** Theme, dialogs and toasts for everything below. */
export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={surfaces} defaultColorScheme="auto">
      <ModalsProvider>{children}</ModalsProvider>
      <Notifications position="bottom-right" limit={4} />
    </MantineProvider>
  );
}
