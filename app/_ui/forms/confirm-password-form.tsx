"use client";

import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { ErrorAlert } from "./error-alert";
import { markFields } from "./form-errors";

/** Asks for the password; `confirm` sends it to the service, which refuses a wrong one at `password`. */
export function ConfirmPasswordForm({
  confirm,
  onConfirmed,
  onCancel,
}: {
  confirm: (password: string) => Promise<unknown>;
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
