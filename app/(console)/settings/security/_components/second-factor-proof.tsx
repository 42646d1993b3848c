"use client";

import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { securityTexts } from "@/app/_texts/settings/security";
import { sharedTexts } from "@/app/_texts/shared";
import type { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import type { SecondFactorProof } from "@/server/auth/schema";

/** Asks for the password and an authenticator or recovery code, and changes the second factor with them. */
export function SecondFactorProofForm<Result>({
  change,
  texts,
  isDestructive = false,
  onDone,
  onCancel,
}: {
  change: ReturnType<typeof useChange<SecondFactorProof, Result>>;
  texts: { form: string; consequence?: string; failed: string; unknown: string; again: string; submit: string };
  isDestructive?: boolean;
  onDone?: (result: Result) => unknown;
  onCancel: () => void;
}) {
  const form = useForm({ mode: "controlled", initialValues: { password: "", code: "" } });
  const errors = useFormErrors(form);

  const submit = form.onSubmit((values) => {
    errors.clear();
    change.mutate(values, { onSuccess: onDone, onError: errors.show });
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.form}>
      <Stack gap="md" maw={420}>
        {texts.consequence && <Text size="sm">{texts.consequence}</Text>}
        <SaveAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} again={texts.again} />
        <PasswordInput
          label={securityTexts.proof.password}
          autoComplete="current-password"
          // The button that opened the form is gone, and the focus with it.
          autoFocus
          {...form.getInputProps("password")}
        />
        <TextInput
          label={securityTexts.secondFactor.code}
          description={securityTexts.proof.codeHint}
          autoComplete="one-time-code"
          {...form.getInputProps("code")}
        />
        <Group>
          <Button type="submit" color={isDestructive ? "red" : undefined} loading={change.isPending}>
            {texts.submit}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {sharedTexts.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
