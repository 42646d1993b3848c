import type { ReactNode } from "react";

/** A dialog that was opened by a function instead of a component. */
export type OpenedDialog = {
  id: number;
  title: string;
  content: ReactNode;
  isOpen: boolean;
  /** Whether Escape, the cross and a click beside it close it. */
  canBeDismissed: boolean;
  onClose?: () => void;
};

let dialogs: readonly OpenedDialog[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly OpenedDialog[]): void {
  dialogs = next;
  for (const listener of listeners) listener();
}

/** For `useSyncExternalStore`. */
export const dialogStore = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  read: (): readonly OpenedDialog[] => dialogs,
};

/** Opens a dialog. `onClose` runs once, however it is closed. @returns a function that closes it. */
export function openDialog(dialog: {
  title: string;
  content: (close: () => void) => ReactNode;
  canBeDismissed?: boolean;
  onClose?: () => void;
}): () => void {
  lastId += 1;
  const id = lastId;
  const close = () => closeDialog(id);
  const { title, canBeDismissed = true, onClose } = dialog;
  change([...dialogs, { id, title, content: dialog.content(close), isOpen: true, canBeDismissed, onClose }]);
  return close;
}

/** Closes a dialog, which stays until it has faded out. */
export function closeDialog(id: number): void {
  const closing = dialogs.find((dialog) => dialog.id === id && dialog.isOpen);
  if (!closing) return;
  change(dialogs.map((dialog) => (dialog.id === id ? { ...dialog, isOpen: false } : dialog)));
  closing.onClose?.();
}

/** Drops a dialog that has faded out. */
export const dropDialog = (id: number): void => change(dialogs.filter((dialog) => dialog.id !== id));
