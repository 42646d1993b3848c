"use client";

import { Button, Card, Group, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { useSingle } from "@/app/_ui/changes/use-single";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NewPasswordInput } from "@/app/_ui/forms/new-password-input";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";

const INITIAL = { current_password: "", new_password: "" };

/** Changes the password of someone who knows the current one. */
export function PasswordCard() {
  const utils = trpc.useUtils();
  const change = useSingle(utils.client.auth.changePassword.mutate, {
    late: { failed: texts.password.notChanged, unknown: texts.password.unknown, next: texts.password.again },
  });
  const form = useForm({ mode: "controlled", initialValues: INITIAL });
  const errors = useFormErrors(form);

  const submit = form.onSubmit((values) => {
    errors.clear();
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        toastDone(texts.password.changed);
        return utils.auth.sessions.invalidate();
      },
      onError: errors.show,
    });
  });

  return (
    <Card component="section" aria-labelledby="password" padding="lg">
      <form method="post" onSubmit={submit} noValidate aria-label={texts.password.form}>
        <Stack gap="md" maw={420}>
          <Stack gap={4}>
            <Title order={2} size="h4" id="password">
              {texts.password.title}
            </Title>
            <Text size="sm" c="dimmed">
              {texts.password.description}
            </Text>
          </Stack>
          <SaveAlert
            error={errors.unplaced}
            title={texts.password.notChanged}
            unknown={texts.password.unknown}
            again={texts.password.again}
          />
          <PasswordInput
            label={texts.password.current}
            autoComplete="current-password"
            {...form.getInputProps("current_password")}
          />
          <NewPasswordInput label={texts.password.new} {...form.getInputProps("new_password")} />
          <Group>
            <Button type="submit" loading={change.isPending}>
              {texts.password.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
