"use client";

import { Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";

/** Wants the password and a code, of the app or for recovery. */
export function DisableSecondFactor({ onDone }: { onDone: () => void }) {
  const utils = trpc.useUtils();
  const disable = trpc.auth.secondFactor.disable.useMutation();
  const form = useForm({ mode: "controlled", initialValues: { password: "", code: "" } });
  const errors = useFormErrors(form);

  const submit = form.onSubmit((values) => {
    errors.clear();
    disable.mutate(values, {
      onSuccess: () => {
        toastDone("Authenticator app disabled");
        onDone();
        return utils.auth.secondFactor.invalidate();
      },
      onError: errors.show,
    });
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label="Disabling of the authenticator app">
      <Stack gap="md" maw={420}>
        <ErrorAlert error={errors.unplaced} title="The authenticator app was not disabled" />
        <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps("password")} />
        <TextInput
          label="Code"
          description="From the app, or a recovery code."
          autoComplete="one-time-code"
          {...form.getInputProps("code")}
        />
        <Group>
          <Button type="submit" color="red" loading={disable.isPending}>
            Disable
          </Button>
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
