"use client";

import { Modal, type ModalProps } from "@mantine/core";
import { useModals } from "@mantine/modals";

/** Presses of Escape that a dialog has answered. Every dialog listens at the window; only the topmost one may react. */
export const answeredEscapes = new WeakSet<KeyboardEvent>();

/** A dialog of a page. A question that stands above it takes Escape for itself. */
export function Dialog(props: ModalProps) {
  const { modals: questions } = useModals();
  return (
    <Modal
      closeButtonProps={{ "aria-label": "Close" }}
      {...props}
      closeOnEscape={props.closeOnEscape !== false && questions.length === 0}
    />
  );
}
