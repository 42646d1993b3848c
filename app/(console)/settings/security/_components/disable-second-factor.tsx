"use client";

import { Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";

/** Wants the password and a code, of the app or for recovery. */
export function DisableSecondFactor({ onDone, onDisabled }: { onDone: () => void; onDisabled: () => void }) {
  const utils = trpc.useUtils();
  const disable = useChange(utils.client.auth.secondFactor.disable.mutate, {
    look: async () => {
      const factor = await utils.client.auth.secondFactor.get.query();
      return factor.enabled ? undefined : factor;
    },
    late: { failed: texts.disable.notDisabled, unknown: texts.disable.unknown },
  });
  const form = useForm({ mode: "controlled", initialValues: { password: "", code: "" } });
  const errors = useFormErrors(form);

  const submit = form.onSubmit((values) => {
    errors.clear();
    disable.mutate(values, {
      onSuccess: () => {
        toastDone(texts.disable.disabled);
        onDone();
        onDisabled();
        return utils.auth.secondFactor.invalidate();
      },
      onError: errors.show,
    });
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.disable.form}>
      <Stack gap="md" maw={420}>
        <SaveAlert
          error={errors.unplaced}
          title={texts.disable.notDisabled}
          unknown={texts.disable.unknown}
          again={texts.disable.again}
        />
        <PasswordInput
          label={texts.disable.password}
          autoComplete="current-password"
          {...form.getInputProps("password")}
        />
        <TextInput
          label={texts.secondFactor.code}
          description={texts.disable.codeHint}
          autoComplete="one-time-code"
          {...form.getInputProps("code")}
        />
        <Group>
          <Button type="submit" color="red" loading={disable.isPending}>
            {texts.secondFactor.disable}
          </Button>
          <Button variant="default" onClick={onDone}>
            {sharedTexts.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
