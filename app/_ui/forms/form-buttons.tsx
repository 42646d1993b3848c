import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { sharedTexts } from "@/app/_texts/shared";

type Buttons = {
  submit: string;
  busy: boolean;
  onCancel: () => void;
  isDestructive?: boolean;
  /** Further buttons, between the two. */
  children?: ReactNode;
};

const Both = ({ submit, busy, onCancel, isDestructive = false, children }: Buttons) => (
  <>
    <Button variant="default" onClick={onCancel}>
      {sharedTexts.cancel}
    </Button>
    {children}
    <Button type="submit" color={isDestructive ? "red" : undefined} loading={busy}>
      {submit}
    </Button>
  </>
);

/** The buttons at the end of a form in a dialog: Cancel, and the one that submits it. */
export const FormButtons = (buttons: Buttons) => (
  <Group className="dialog-foot" justify="flex-end" gap="sm">
    <Both {...buttons} />
  </Group>
);

/** The same at the end of a form in a card, which opens in place of the button that it was opened with. */
export const CardFormButtons = (buttons: Buttons) => (
  <Group gap="sm">
    <Both {...buttons} />
  </Group>
);
