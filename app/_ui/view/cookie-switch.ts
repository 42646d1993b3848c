"use client";

import { useSyncExternalStore } from "react";

const YEAR_S = 31_536_000;

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Whether a display option of the console is on; the cookie `name` stores it.
 * @param forServer the value in the request's cookie, for the first render.
 */
export const useCookieSwitch = (name: string, forServer = false): boolean =>
  useSyncExternalStore(
    subscribe,
    () => document.cookie.split("; ").includes(`${name}=true`),
    () => forServer,
  );

/** Turns the option on or off, here and for later visits. */
export function rememberCookieSwitch(name: string, isOn: boolean): void {
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox.
  document.cookie = `${name}=${isOn}; Path=/; SameSite=Lax; Max-Age=${isOn ? YEAR_S : 0}${secure}`;
  for (const listener of listeners) listener();
}
