"use client";

import { Button, Card, Group, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { NewPasswordInput } from "@/app/_ui/forms/new-password-input";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";

const INITIAL = { current_password: "", new_password: "" };

/** Another password, for someone who knows the present one. */
export function PasswordCard() {
  const utils = trpc.useUtils();
  const change = trpc.auth.changePassword.useMutation();
  const form = useForm({ mode: "controlled", initialValues: INITIAL });
  const errors = useFormErrors(form);

  const submit = form.onSubmit((values) => {
    errors.clear();
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        toastDone("Password changed");
        return utils.auth.sessions.invalidate();
      },
      onError: errors.show,
    });
  });

  return (
    <Card component="section" aria-labelledby="password" padding="lg">
      <form method="post" onSubmit={submit} noValidate aria-label="Change of the password">
        <Stack gap="md" maw={420}>
          <Stack gap={4}>
            <Title order={2} size="h4" id="password">
              Password
            </Title>
            <Text size="sm" c="dimmed">
              A change signs you out everywhere else.
            </Text>
          </Stack>
          <ErrorAlert error={errors.unplaced} title="The password was not changed" />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...form.getInputProps("current_password")}
          />
          <NewPasswordInput label="New password" {...form.getInputProps("new_password")} />
          <Group>
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
