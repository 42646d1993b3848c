"use client";

import { createContext, type ReactNode, useContext } from "react";
import { rememberCookieSwitch, useCookieSwitch } from "./cookie-switch";
import { EXACT_TIMES_COOKIE } from "./cookies";

/** A context, because a single time does not know the request's cookie. */
const ExactTimes = createContext(false);

/** Provides the times below it with the choice to show date and clock. `forServer`: the value in the request's cookie. */
export function ExactTimesProvider({ forServer, children }: { forServer?: boolean; children: ReactNode }) {
  return <ExactTimes value={useCookieSwitch(EXACT_TIMES_COOKIE, forServer)}>{children}</ExactTimes>;
}

/** Whether times are shown as date and clock time instead of relative to now. */
export const useExactTimes = (): boolean => useContext(ExactTimes);

/** Makes times exact, or relative again, here and on later visits. */
export const rememberExactTimes = (isExact: boolean): void => rememberCookieSwitch(EXACT_TIMES_COOKIE, isExact);
