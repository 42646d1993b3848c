import { createContext, type RefObject, useContext, useEffect } from "react";

/** Whether the surrounding dialog shows a secret that closing would lose; null outside dialogs. */
export const UncopiedSecret = createContext<RefObject<boolean> | null>(null);

/** Reports to the surrounding dialog, if any, whether closing it would lose a secret. */
export function useUncopiedSecret(isUncopied: boolean): void {
  const dialog = useContext(UncopiedSecret);
  useEffect(() => {
    if (!dialog || !isUncopied) return;
    dialog.current = true;
    return () => {
      dialog.current = false;
    };
  }, [dialog, isUncopied]);
}
