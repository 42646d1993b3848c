"use client";

import { type DehydratedState, HydrationBoundary } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isTestPage } from "./test-mode";

/** Passes on the data that the server has loaded, unless another tab has switched the mode meanwhile. */
export function FirstQueries({
  state,
  isTestMode,
  children,
}: {
  state: DehydratedState | undefined;
  isTestMode: boolean;
  children: ReactNode;
}) {
  const isOurs = typeof document === "undefined" || isTestPage() === isTestMode;
  return <HydrationBoundary state={isOurs ? state : undefined}>{children}</HydrationBoundary>;
}
