import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";

/** Asks for confirmation of an action; `onConfirm` runs when it is confirmed. */
export function confirmAction({
  title,
  children,
  confirmLabel,
  cancelLabel = "Cancel",
  danger = true,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  /** The action as a verb, e.g. "Revoke key". */
  confirmLabel: string;
  /** Another word where the action itself is to cancel something. */
  cancelLabel?: string;
  danger?: boolean;
  onConfirm: () => void;
  /** Runs when the question is closed, whatever the answer. */
  onClose?: () => void;
}): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {children}
      </Text>
    ),
    labels: { confirm: confirmLabel, cancel: cancelLabel },
    confirmProps: danger ? { color: "red" } : {},
    onConfirm,
    onClose,
  });
}
