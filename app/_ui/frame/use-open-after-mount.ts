import { useEffect, useState } from "react";

/**
 * Opens a lazily loaded dialog or drawer one step after its first render: Mantine notes the focused element, to return the focus
 * at the end, only when a closed dialog opens.
 */
export function useOpenAfterMount(isWanted: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isWanted && isMounted;
}
