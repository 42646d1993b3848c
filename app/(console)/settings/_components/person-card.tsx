"use client";

import { Button, Card, Group, Stack, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";

/** The person's own name, which is the same in all their accounts. */
export function PersonCard({ name, email }: { name: string; email: string }) {
  const utils = trpc.useUtils();
  const rename = trpc.auth.rename.useMutation();
  const form = useForm({ mode: "controlled", initialValues: { name } });
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    rename.mutate(values, {
      onSuccess: () => {
        toastDone("Your name is saved");
        return Promise.all([utils.auth.viewer.invalidate(), utils.members.invalidate()]);
      },
      onError: errors.show,
    });
  });
  return (
    <Card component="section" aria-labelledby="person" padding="lg">
      <form onSubmit={submit} noValidate aria-label="Your name">
        <Stack gap="md" maw={420}>
          <Title order={2} size="h4" id="person">
            You
          </Title>
          <ErrorAlert error={errors.unplaced} title="Your name was not saved" />
          <TextInput label="Your name" autoComplete="name" {...form.getInputProps("name")} />
          <TextInput label="Email" value={email} readOnly description="You sign in with it." />
          <Group>
            <Button type="submit" loading={rename.isPending}>
              Save your name
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
