"use client";

import { PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { confirmPasswordTexts as texts } from "@/app/_texts/ui/confirm-password";
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
    <form method="post" onSubmit={form.onSubmit(submit)} noValidate aria-label={texts.label}>
      <Stack gap="md">
        <Text size="sm">{texts.reason}</Text>
        <ErrorAlert error={errors.unplaced} />
        <PasswordInput
          label={texts.password}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps("password")}
        />
        <FormButtons submit={texts.submit} busy={busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
