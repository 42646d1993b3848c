"use client";

import { useSyncExternalStore } from "react";
import { TEST_MODE_COOKIE } from "./test-mode-cookie";

const cookieSays = (): boolean => document.cookie.split("; ").includes(`${TEST_MODE_COOKIE}=true`);

/**
 * The mode of this page, from when it was loaded: a switch reloads it. Another tab may switch meanwhile, and this page goes
 * on with its own mode, so that what it shows and what it does never belong to two.
 */
const loadedIn = typeof document === "undefined" ? null : cookieSays();

/** Whether this page is in test mode. */
export const isTestPage = (): boolean => loadedIn ?? false;

const never = () => () => undefined;

/** Whether the page is in test mode. @param forServer what the request's cookie says, for the first render. */
export const useTestMode = (forServer = false): boolean => useSyncExternalStore(never, isTestPage, () => forServer);

/** Remembers the mode for the pages that are opened from now on. */
export function rememberTestMode(isOn: boolean): void {
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox.
  document.cookie = `${TEST_MODE_COOKIE}=${isOn}; Path=/; SameSite=Lax${isOn ? "" : "; Max-Age=0"}${secure}`;
}

/** Pages whose address names nothing of a mode. */
const OF_BOTH_MODES: readonly string[] = ["operator", "settings"];

/** Switches the mode and reloads the page's list: what stands in its address may belong to the mode that is left. */
export function switchTestMode(isOn: boolean): void {
  rememberTestMode(isOn);
  const [, first = ""] = window.location.pathname.split("/");
  window.location.assign(OF_BOTH_MODES.includes(first) ? window.location.pathname : `/${first}`);
}
