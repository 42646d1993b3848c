"use client";

import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { confirmAction } from "@/app/_ui/forms/confirm";

/** The words of an action on a message. */
type Words = { submit: string; title: (number: string) => string; explanation: string; keep: string };

/** A button for an action on a message that cannot be undone; it asks for confirmation first. */
export function ConfirmedButton({
  texts: { submit, title, explanation, keep },
  to,
  icon,
  busy,
  onConfirm,
}: {
  texts: Words;
  to: string;
  icon: ReactNode;
  busy: boolean;
  onConfirm: () => void;
}) {
  const ask = () =>
    confirmAction({ title: title(to), children: explanation, confirmLabel: submit, cancelLabel: keep, onConfirm });
  return (
    <Button variant="default" leftSection={icon} loading={busy} onClick={ask}>
      {submit}
    </Button>
  );
}
