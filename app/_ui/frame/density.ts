"use client";

import { useSyncExternalStore } from "react";
import { COMPACT_COOKIE } from "./density-cookie";

const YEAR_S = 31_536_000;

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const read = (): boolean => document.cookie.split("; ").includes(`${COMPACT_COOKIE}=true`);

/** Whether tables are compact. @param forServer what the request's cookie says, for the first render. */
export const useCompact = (forServer = false): boolean => useSyncExternalStore(subscribe, read, () => forServer);

/** Makes tables compact, or comfortable again, here and on later visits. */
export function rememberCompact(isCompact: boolean): void {
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox.
  document.cookie = `${COMPACT_COOKIE}=${isCompact}; Path=/; SameSite=Lax; Max-Age=${isCompact ? YEAR_S : 0}${secure}`;
  for (const listener of listeners) listener();
}
