"use client";

import type { ModalProps } from "@mantine/core";
import { useEffect, useRef } from "react";
import { formsTexts as texts } from "@/app/_texts/ui/forms";
import { confirmAction } from "./confirm";
import { Dialog } from "./dialog";

/**
 * A dialog with a form. Escape, the closing cross and a click outside ask before they drop what was entered; the form's own
 * buttons call `onClose` directly.
 */
export function FormModal({
  children,
  onClose,
  isDone = false,
  ...modal
}: ModalProps & {
  /** The form was sent and its result is shown: nothing can be lost. */
  isDone?: boolean;
}) {
  const isTouched = useRef(false);
  const { opened } = modal;
  useEffect(() => {
    if (opened) isTouched.current = false;
  }, [opened]);
  const close = () => {
    if (isDone || !isTouched.current) return onClose();
    confirmAction({
      title: texts.discard.title,
      children: texts.discard.question,
      confirmLabel: texts.discard.confirm,
      isLeaving: true,
      onConfirm: onClose,
    });
  };
  return (
    <Dialog {...modal} onClose={close}>
      {/* Changes of all fields arrive here. */}
      <div
        onChange={() => {
          isTouched.current = true;
        }}
      >
        {children}
      </div>
    </Dialog>
  );
}
