"use client";

import { type DehydratedState, HydrationBoundary } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { notePage, toBrowserTime } from "./clock";
import { isTestPage } from "./test-mode";

/** Dates the data by the browser's clock, which decides when they are stale: by the server's they might seem fresh for an hour. */
function byBrowserTime({ queries, ...rest }: DehydratedState): DehydratedState {
  const dated = queries.map((query) => ({
    ...query,
    state: { ...query.state, dataUpdatedAt: toBrowserTime(query.state.dataUpdatedAt) },
  }));
  return { ...rest, queries: dated };
}

/**
 * Passes on the data that the server has loaded, unless another tab has switched the mode meanwhile.
 * @param props `madeAt`: when the server made the page, in milliseconds since 1970.
 */
export function FirstQueries({
  state,
  madeAt,
  isTestMode,
  children,
}: {
  state: DehydratedState | undefined;
  madeAt: number;
  isTestMode: boolean;
  children: ReactNode;
}) {
  const isOurs = typeof document === "undefined" || isTestPage() === isTestMode;
  const data = useMemo(() => {
    notePage(madeAt);
    return state && byBrowserTime(state);
  }, [state, madeAt]);
  return <HydrationBoundary state={isOurs ? data : undefined}>{children}</HydrationBoundary>;
}
