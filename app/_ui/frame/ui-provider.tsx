"use client";

import { MantineProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { Overlays } from "./overlays";
import { surfaces, theme } from "./theme";

/** Provides theme, dialogs and toasts. */
export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={surfaces} defaultColorScheme="auto">
      {children}
      <Overlays />
    </MantineProvider>
  );
}
