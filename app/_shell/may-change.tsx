"use client";

import { createContext, type ReactNode, useContext } from "react";

/** Set by the server, which knows the roles. */
const MayChange = createContext(false);

/** Provides the pages below it with whether the person's role lets them change what belongs to the account. */
export function MayChangeProvider({ mayChange, children }: { mayChange: boolean; children: ReactNode }) {
  return <MayChange value={mayChange}>{children}</MayChange>;
}

/** Whether the person's role lets them change what belongs to the account, which viewers only read. */
export const useMayChange = (): boolean => useContext(MayChange);

/** Shows an action, or a page that is one, to people who may change the account. @param otherwise for those who only read it. */
export function IfMayChange({ children, otherwise = null }: { children: ReactNode; otherwise?: ReactNode }) {
  return useMayChange() ? children : otherwise;
}
