import { useSyncExternalStore } from "react";

const never = () => () => undefined;
const inBrowser = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
const onServer = () => null;

/** The name of the browser's time zone, like `Europe/Berlin`; null in the first render, since the server does not know it. */
export const useZoneName = (): string | null => useSyncExternalStore(never, inBrowser, onServer);
