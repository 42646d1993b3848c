"use client";

import { rememberCookieSwitch, useCookieSwitch } from "./cookie-switch";
import { COMPACT_COOKIE } from "./cookies";

/** Whether tables are compact. @param forServer the value in the request's cookie, for the first render. */
export const useCompact = (forServer?: boolean): boolean => useCookieSwitch(COMPACT_COOKIE, forServer);

/** Makes tables compact, or comfortable again, here and on later visits. */
export const rememberCompact = (isCompact: boolean): void => rememberCookieSwitch(COMPACT_COOKIE, isCompact);
