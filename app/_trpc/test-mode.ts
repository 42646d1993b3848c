"use client";

import { useSyncExternalStore } from "react";
import { TEST_MODE_COOKIE } from "./test-mode-cookie";

const cookieSays = (): boolean => document.cookie.split("; ").includes(`${TEST_MODE_COOKIE}=true`);

/**
 * The mode in which this page was loaded; a switch reloads the page. If another tab switches meanwhile, this page keeps its own
 * mode, so that what it shows and what it does always belong to the same one.
 */
const loadedIn = typeof document === "undefined" ? null : cookieSays();

/** Whether this page is in test mode. */
export const isTestPage = (): boolean => loadedIn ?? false;

const never = () => () => undefined;

/** Whether the page is in test mode. @param forServer the mode in the request's cookie, for the first render. */
export const useTestMode = (forServer = false): boolean => useSyncExternalStore(never, isTestPage, () => forServer);

/** Remembers the mode for the pages that are opened from now on. */
export function rememberTestMode(isOn: boolean): void {
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox.
  document.cookie = `${TEST_MODE_COOKIE}=${isOn}; Path=/; SameSite=Lax${isOn ? "" : "; Max-Age=0"}${secure}`;
}

/** Pages whose addresses name nothing that belongs to a mode. */
const OF_BOTH_MODES: readonly string[] = ["operator", "settings"];

/** Switches the mode and loads the page's list, because the rest of the address may name something of the former mode. */
export function switchTestMode(isOn: boolean): void {
  rememberTestMode(isOn);
  const [, first = ""] = window.location.pathname.split("/");
  window.location.assign(OF_BOTH_MODES.includes(first) ? window.location.pathname : `/${first}`);
}
