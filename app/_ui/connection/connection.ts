import { lazy, useSyncExternalStore } from "react";

const AGAIN_AFTER_MS = 2_000;
const TRIES_WITH_SERVICE = 3;

/** Pause between looks for the service while it cannot be reached. */
const LOOK_AGAIN_MS = 5_000;

let isCutOff = false;
const listeners = new Set<() => void>();

const askForHealth = (): Promise<Response> => fetch("/api/health", { method: "HEAD", cache: "no-store" });

/** Any response proves the connection. */
const reachesService = (): Promise<boolean> =>
  askForHealth().then(
    () => true,
    () => false,
  );

/** Whether the service itself responds, and not a proxy while it is being restarted. */
const isServiceThere = (): Promise<boolean> =>
  askForHealth().then(
    ({ status }) => status < 500,
    () => false,
  );

/**
 * Finds out whether the service can be reached although the browser reports to be offline: the service may run on the same
 * machine, without any network.
 */
async function look(): Promise<void> {
  const isOffline = !navigator.onLine && !(await reachesService()) && !navigator.onLine;
  if (isOffline) setTimeout(look, LOOK_AGAIN_MS);
  if (isOffline === isCutOff) return;
  isCutOff = isOffline;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener("online", look);
    window.addEventListener("offline", look);
    void look();
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.removeEventListener("online", look);
    window.removeEventListener("offline", look);
  };
}

/** Whether the service can be reached, as far as known; if not, only what is already loaded can be opened. */
export const isOnline = (): boolean => !isCutOff;

/** {@link isOnline} as a hook. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, isOnline, () => true);

/** Waits for a connection, or for a moment if there is one. */
const nextChance = () =>
  new Promise<void>((resolve) => {
    if (isOnline()) setTimeout(resolve, AGAIN_AFTER_MS);
    else {
      const end = subscribe(() => {
        end();
        resolve();
      });
    }
  });

let partsUnderWay = 0;
const partListeners = new Set<() => void>();

/** Notifies the listeners later: React starts to load a part while it renders, when no other component may be changed. */
function countParts(change: 1 | -1): void {
  partsUnderWay += change;
  queueMicrotask(() => {
    for (const listener of partListeners) listener();
  });
}

function subscribeToParts(listener: () => void): () => void {
  partListeners.add(listener);
  return () => {
    partListeners.delete(listener);
  };
}

/** Whether a part of the page, such as a dialog that was never opened, is being loaded. */
export const usePartUnderWay = (): boolean =>
  useSyncExternalStore(
    subscribeToParts,
    () => partsUnderWay > 0,
    () => false,
  );

/** Loads a part of a page, however long the service cannot be reached. @throws when the service is there, and the part is not. */
export async function loadPatiently<Part>(load: () => Promise<Part>): Promise<Part> {
  countParts(1);
  try {
    return await loadWhenReachable(load);
  } finally {
    countParts(-1);
  }
}

async function loadWhenReachable<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let triesLeft = TRIES_WITH_SERVICE; ; ) {
    try {
      return await load();
    } catch (error) {
      if (isOnline() && (await isServiceThere())) triesLeft -= 1;
      if (triesLeft === 0) throw error;
      await nextChance();
    }
  }
}

/**
 * React's `lazy`, but it waits while the service cannot be reached: on its own, `lazy` would replace the whole page, and what was
 * entered there, with an error.
 */
export const lazily: typeof lazy = (load) => lazy(() => loadPatiently(load));
