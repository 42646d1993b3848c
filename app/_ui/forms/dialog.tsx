"use client";

import type { ModalProps } from "@mantine/core";
import { useRef, useSyncExternalStore } from "react";
import { formsTexts } from "@/app/_texts/ui/forms";
import { confirmAction } from "./confirm";
import { dialogStore } from "./dialogs";
import { LazyModal } from "./lazy-modal";
import { UncopiedSecret } from "./uncopied-secret";

const isNoneAsking = () => dialogStore.read().every(({ isOpen }) => !isOpen);
const isNoneAskingYet = () => true;

/**
 * A dialog of a page. A question above it handles Escape itself. Escape and the closing cross ask before a secret is lost that is
 * shown only once and was not copied.
 */
export function Dialog({ children, onClose, ...props }: ModalProps) {
  const isOnTop = useSyncExternalStore(dialogStore.subscribe, isNoneAsking, isNoneAskingYet);
  const hasUncopiedSecret = useRef(false);
  const close = () => {
    if (!hasUncopiedSecret.current) return onClose();
    const { title, question, confirm } = formsTexts.leaveSecret;
    confirmAction({ title, children: question, confirmLabel: confirm, isLeaving: true, onConfirm: onClose });
  };
  return (
    <LazyModal {...props} onClose={close} closeOnEscape={props.closeOnEscape !== false && isOnTop}>
      <UncopiedSecret value={hasUncopiedSecret}>{children}</UncopiedSecret>
    </LazyModal>
  );
}
