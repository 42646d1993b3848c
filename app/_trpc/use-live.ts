"use client";

import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect } from "react";
import { trpc } from "@/app/_trpc/client";
import type { Changed } from "@/server/live/schema";

/** How often a page polls while it follows changes, in case a notice is lost. */
export const LIVE_REFRESH_MS = 60_000;

/** Pause before changes are followed again after the service has ended the stream, as at a restart, or a proxy has refused it. */
const AGAIN_AFTER_MS = 5_000;

/**
 * Calls `onChange` when one of the `wanted` topics has changed. A hidden page follows nothing, because browsers allow only few
 * connections to a site from all tabs together.
 * @returns whether changes are followed; otherwise the page has to poll often.
 */
export function useLive(wanted: Changed["topics"], onChange: () => void): boolean {
  const isVisible = useDocumentVisibility() === "visible";
  const { status, reset } = trpc.live.changes.useSubscription(undefined, {
    enabled: isVisible,
    onData: ({ topics }) => {
      if (topics.some((topic) => wanted.includes(topic))) onChange();
    },
  });
  useEffect(() => {
    if (!isVisible || (status !== "error" && status !== "idle")) return;
    const again = setTimeout(reset, AGAIN_AFTER_MS);
    return () => clearTimeout(again);
  }, [isVisible, status, reset]);
  return status === "pending";
}
