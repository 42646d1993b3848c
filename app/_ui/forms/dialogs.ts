import type { ReactNode } from "react";

/** A dialog that was opened by a function instead of a component. */
export type OpenedDialog = {
  id: number;
  title: string;
  content: ReactNode;
  isOpen: boolean;
  /** Whether Escape, the cross and a click outside close it. */
  canBeDismissed: boolean;
  /** Whether the focus returns to where it was before. */
  returnsFocus: boolean;
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

/**
 * Opens a dialog. `onClose` runs once, however it is closed.
 * @param dialog `content` receives a function that closes the dialog, and one that also closes the dialog below it, which then
 *     returns the focus.
 * @returns a function that closes it.
 */
export function openDialog(dialog: {
  title: string;
  content: (close: () => void, leave: () => void) => ReactNode;
  canBeDismissed?: boolean;
  onClose?: () => void;
}): () => void {
  lastId += 1;
  const id = lastId;
  const close = () => closeDialog(id);
  const { title, canBeDismissed = true, onClose } = dialog;
  const content = dialog.content(close, () => closeDialog(id, false));
  change([...dialogs, { id, title, content, isOpen: true, canBeDismissed, returnsFocus: true, onClose }]);
  return close;
}

/** Closes a dialog, which stays until it has faded out. */
export function closeDialog(id: number, returnsFocus = true): void {
  const closing = dialogs.find((dialog) => dialog.id === id && dialog.isOpen);
  if (!closing) return;
  change(dialogs.map((dialog) => (dialog.id === id ? { ...dialog, isOpen: false, returnsFocus } : dialog)));
  closing.onClose?.();
}

/** Drops a dialog that has faded out. */
export const dropDialog = (id: number): void => change(dialogs.filter((dialog) => dialog.id !== id));
