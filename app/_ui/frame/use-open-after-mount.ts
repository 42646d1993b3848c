import { useEffect, useState } from "react";

/**
 * Opens a dialog or drawer that was loaded because it is wanted one step after its first render: Mantine notes which element
 * has the focus, and gives it back at the end, only when something opens that was closed before.
 */
export function useOpenAfterMount(isWanted: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isWanted && isMounted;
}
