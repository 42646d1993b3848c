"use client";

import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { modals } from "@mantine/modals";
import { useState } from "react";
import { ErrorAlert } from "./error-alert";
import { markFields } from "./form-errors";

type Confirm = (password: string) => Promise<unknown>;

/**
 * Asks for the password in a dialog. `confirm` sends it to the service, which refuses a wrong one at `password`.
 * @returns whether it was confirmed; false when the dialog was closed.
 */
export function askForPassword(confirm: Confirm): Promise<boolean> {
  return new Promise((resolve) => {
    let isConfirmed = false;
    const id = modals.open({
      title: "Confirm your password",
      closeButtonProps: { "aria-label": "Close" },
      onClose: () => resolve(isConfirmed),
      children: (
        <ConfirmPasswordForm
          confirm={confirm}
          onCancel={() => modals.close(id)}
          onConfirmed={() => {
            isConfirmed = true;
            modals.close(id);
          }}
        />
      ),
    });
  });
}

function ConfirmPasswordForm({
  confirm,
  onConfirmed,
  onCancel,
}: {
  confirm: Confirm;
  onConfirmed: () => void;
  onCancel: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [unplaced, setUnplaced] = useState<unknown>(null);
  const form = useForm({ mode: "controlled", initialValues: { password: "" } });

  async function submit({ password }: { password: string }) {
    setBusy(true);
    setUnplaced(null);
    try {
      await confirm(password);
      onConfirmed();
    } catch (error) {
      if (!markFields(form, error)) setUnplaced(error);
      setBusy(false);
    }
  }

  return (
    <form method="post" onSubmit={form.onSubmit(submit)} noValidate aria-label="Confirmation">
      <Stack gap="md">
        <Text size="sm">You signed in a while ago. This needs your password again; then you have ten minutes.</Text>
        <ErrorAlert error={unplaced} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps("password")}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={busy}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
