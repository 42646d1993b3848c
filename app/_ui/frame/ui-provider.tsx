"use client";

import { MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { surfaces, theme } from "./theme";

/** Provides theme, dialogs and toasts. */
export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={surfaces} defaultColorScheme="auto">
      <ModalsProvider>{children}</ModalsProvider>
      <Notifications position="bottom-right" limit={4} />
    </MantineProvider>
  );
}
