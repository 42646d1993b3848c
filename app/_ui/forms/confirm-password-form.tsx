"use client";

import { PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { ErrorAlert } from "./error-alert";
import { FormButtons } from "./form-buttons";
import { useFormErrors } from "./use-form-errors";

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
  const form = useForm({ mode: "controlled", initialValues: { password: "" } });
  const errors = useFormErrors(form);

  async function submit({ password }: { password: string }) {
    setBusy(true);
    errors.clear();
    try {
      await confirm(password);
      onConfirmed();
    } catch (error) {
      errors.show(error);
      setBusy(false);
    }
  }

  return (
    <form method="post" onSubmit={form.onSubmit(submit)} noValidate aria-label="Confirmation">
      <Stack gap="md">
        <Text size="sm">You signed in a while ago. This needs your password again; then you have ten minutes.</Text>
        <ErrorAlert error={errors.unplaced} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps("password")}
        />
        <FormButtons submit="Confirm" busy={busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
