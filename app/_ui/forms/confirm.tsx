import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";

/** Asks for confirmation of an action; `onConfirm` runs when it is confirmed. */
export function confirmAction({
  title,
  children,
  confirmLabel,
  danger = true,
  onConfirm,
}: {
  title: string;
  children: ReactNode;
  /** The action as a verb, e.g. "Revoke key". */
  confirmLabel: string;
  danger?: boolean;
  onConfirm: () => void;
}): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {children}
      </Text>
    ),
    labels: { confirm: confirmLabel, cancel: "Cancel" },
    confirmProps: danger ? { color: "red" } : {},
    onConfirm,
  });
}
