"use client";

import { MantineProvider } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { replayEarlyInput } from "../drafts/early-input";
import { watchForms } from "../forms/first-error";
import { watchButtons } from "../forms/keep-focus";
import { Overlays } from "./overlays";
import { printLight } from "./print-light";
import { surfaces, theme } from "./theme";

/** Provides theme, dialogs and toasts. */
export function UiProvider({ children }: { children: ReactNode }) {
  useEffect(replayEarlyInput, []);
  useEffect(watchForms, []);
  useEffect(watchButtons, []);
  useEffect(printLight, []);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={surfaces} defaultColorScheme="auto">
      {children}
      <Overlays />
    </MantineProvider>
  );
}
