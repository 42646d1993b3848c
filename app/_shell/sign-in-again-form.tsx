"use client";

import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { signInAgainTexts as texts } from "@/app/_texts/shell/sign-in-again";
import { Problem } from "@/app/_ui/problem";
import { SECOND_FACTOR_REQUIRED } from "@/server/auth/sign-in/code-wanted";
import { CodeField } from "../(auth)/sign-in/code-field";
import { openSession } from "../(auth)/sign-in/credentials";

/** Signs a person in again, with the password, and a code if one is asked for. */
export function SignInAgainForm({
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
  const form = useForm({ initialValues: { password: "", code: "" } });
  const [isCodeWanted, setCodeWanted] = useState(false);

  async function submit({ password, code }: { password: string; code: string }) {
    setBusy(true);
    setProblem(null);
    const refusal = await openSession(email, password, isCodeWanted ? code.trim() : undefined);
    if (!refusal) return onSignedIn();
    if (refusal === SECOND_FACTOR_REQUIRED && !isCodeWanted) setCodeWanted(true);
    else setProblem(refusal);
    setBusy(false);
  }

  return (
    <form method="post" aria-label={texts.label} onChange={() => setProblem(null)} onSubmit={form.onSubmit(submit)}>
      <Stack gap="md">
        <Text size="sm">{texts.reason}</Text>
        {problem && <Problem>{problem}</Problem>}
        <TextInput label={texts.email} type="email" autoComplete="username" value={email} readOnly />
        <PasswordInput
          label={texts.password}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps("password")}
        />
        {isCodeWanted && <CodeField {...form.getInputProps("code")} />}
        <Group className="dialog-foot" justify="flex-end" gap="sm">
          <Button variant="default" onClick={onLeave}>
            {texts.leave}
          </Button>
          <Button type="submit" loading={busy}>
            {texts.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
