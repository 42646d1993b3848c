import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { sharedTexts } from "@/app/_texts/shared";
import { openDialog } from "./dialogs";
import { focusKeeper } from "./keep-focus";

/** Asks for confirmation of an action; `onConfirm` runs when it is confirmed. */
export function confirmAction({
  title,
  children,
  confirmLabel,
  cancelLabel = sharedTexts.cancel,
  danger = true,
  isLeaving = false,
  onConfirm,
}: {
  title: string;
  children: ReactNode;
  /** The action as a verb, e.g. "Revoke key". */
  confirmLabel: string;
  /** A different label where the action itself cancels something. */
  cancelLabel?: string;
  danger?: boolean;
  /** The action closes the dialog below the question, which returns the focus itself. */
  isLeaving?: boolean;
  onConfirm: () => void;
}): void {
  const keepFocus = focusKeeper();
  openDialog({
    title,
    content: (close, leave) => (
      <Stack gap="lg">
        <Text size="sm" component="div">
          {children}
        </Text>
        <Group className="dialog-foot" justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            {cancelLabel}
          </Button>
          <Button
            color={danger ? "red" : undefined}
            onClick={() => {
              if (!isLeaving) keepFocus();
              onConfirm();
              if (isLeaving) leave();
              else close();
            }}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    ),
  });
}
