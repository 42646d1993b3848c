"use client";

import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { modals } from "@mantine/modals";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { openSession } from "../(auth)/sign-in/credentials";

/**
 * Asks a person whose session has ended to sign in again, over the page that they are on, so that nothing they have
 * entered there is lost.
 * @param email of the person; another person would continue with this one's page.
 * @param leave leads away from the page.
 * @returns once they are signed in.
 */
export function askToSignIn(email: string, leave: () => void): Promise<void> {
  return new Promise((resolve) => {
    const id = modals.open({
      title: "Your session has ended",
      withCloseButton: false,
      closeOnEscape: false,
      closeOnClickOutside: false,
      onClose: resolve,
      children: <SignInAgainForm email={email} onLeave={leave} onSignedIn={() => modals.close(id)} />,
    });
  });
}

function SignInAgainForm({
  email,
  onSignedIn,
  onLeave,
}: {
  email: string;
  onSignedIn: () => void;
  onLeave: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm({ initialValues: { password: "" } });

  async function submit({ password }: { password: string }) {
    setBusy(true);
    const refusal = await openSession(email, password);
    if (!refusal) return onSignedIn();
    setProblem(refusal);
    setBusy(false);
  }

  return (
    <form method="post" aria-label="Sign in again" onSubmit={form.onSubmit(submit)}>
      <Stack gap="md">
        <Text size="sm">Sign in again to continue. Everything you have entered on this page is still there.</Text>
        {problem && (
          <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />}>
            {problem}
          </Alert>
        )}
        <TextInput label="Email" type="email" autoComplete="username" value={email} readOnly />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps("password")}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onLeave}>
            Leave this page
          </Button>
          <Button type="submit" loading={busy}>
            Sign in
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
