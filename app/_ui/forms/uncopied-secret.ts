import { createContext, type RefObject, useContext, useEffect } from "react";

/** Whether the dialog around it shows a secret that would be lost with it; null outside of dialogs. */
export const UncopiedSecret = createContext<RefObject<boolean> | null>(null);

/** Reports to the dialog around a secret, if there is one, whether closing it would lose the secret. */
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
