import { lazy, useSyncExternalStore } from "react";

const AGAIN_AFTER_MS = 2_000;
const TRIES_WITH_CONNECTION = 3;

/** Whether the browser knows of a connection; without one, nothing that is not here yet can be opened. */
export const isOnline = (): boolean => navigator.onLine;

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** {@link isOnline}, for what is drawn. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, isOnline, () => true);

/** Waits for a connection, or for a moment if there is one. */
const nextChance = () =>
  new Promise<void>((resolve) => {
    if (isOnline()) setTimeout(resolve, AGAIN_AFTER_MS);
    else window.addEventListener("online", () => resolve(), { once: true });
  });

/**
 * React's `lazy`, which waits for a connection if there is none: by itself it would put an error in the place of the whole page,
 * and of what was entered there.
 */
export const lazily: typeof lazy = (load) => {
  const attempt = async (triesLeft: number): ReturnType<typeof load> => {
    try {
      return await load();
    } catch (error) {
      const wasOnline = isOnline();
      if (wasOnline && triesLeft === 1) throw error;
      await nextChance();
      return attempt(wasOnline ? triesLeft - 1 : triesLeft);
    }
  };
  return lazy(() => attempt(TRIES_WITH_CONNECTION));
};
