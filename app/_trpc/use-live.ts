"use client";

import { useDocumentVisibility } from "@mantine/hooks";
import { trpc } from "@/app/_trpc/client";
import type { Changed } from "@/server/live/schema";

/** How often a page polls while it follows changes, in case a notice is lost. */
export const LIVE_REFRESH_MS = 60_000;

/**
 * Calls `onChange` when something of `wanted` has changed. A hidden page follows nothing: browsers allow few connections to a
 * site, all tabs together.
 * @returns whether changes are followed; otherwise the page has to ask often.
 */
export function useLive(wanted: Changed["topics"], onChange: () => void): boolean {
  const isVisible = useDocumentVisibility() === "visible";
  const { status } = trpc.live.changes.useSubscription(undefined, {
    enabled: isVisible,
    onData: ({ topics }) => {
      if (topics.some((topic) => wanted.includes(topic))) onChange();
    },
  });
  return status === "pending";
}
