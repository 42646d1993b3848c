"use client";

import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { signInTexts as texts } from "@/app/_texts/auth/sign-in";
import { trpc } from "@/app/_trpc/client";
import { PageLink } from "@/app/_ui/frame/page-link";
import { Problem } from "@/app/_ui/problem";
import { SECOND_FACTOR_REQUIRED } from "@/server/auth/sign-in/code-wanted";
import { FormHeading } from "../form-heading";
import { useLeaveWhenSignedIn } from "../leave-when-signed-in";
import { CodeField } from "./code-field";
import { openSession } from "./credentials";
import { safeTarget } from "./next-path";

/** The target after sign-in, as the address of this page gives it. */
const targetOfPage = (): string =>
  safeTarget(new URLSearchParams(window.location.search).get("next"), window.location.origin);

export function SignInForm() {
  useLeaveWhenSignedIn(targetOfPage);
  const signUpState = trpc.auth.signUpState.useQuery();
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [isCodeWanted, setCodeWanted] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // The values are read from the DOM, because React does not know what was entered before hydration.
    const fields = new FormData(event.currentTarget);
    const entered = (name: string) => String(fields.get(name) ?? "");
    setBusy(true);
    setProblem(null);
    const code = isCodeWanted ? entered("code").trim() : undefined;
    const refusal = await openSession(entered("email"), entered("password"), code);
    // A full load, so that nothing of an earlier session stays in the cache.
    if (!refusal) return window.location.assign(targetOfPage());
    if (refusal === SECOND_FACTOR_REQUIRED && !isCodeWanted) setCodeWanted(true);
    else setProblem(refusal);
    setBusy(false);
  }

  return (
    <form method="post" onChange={() => setProblem(null)} onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <FormHeading title={texts.title}>{texts.welcome}</FormHeading>
        {problem && <Problem>{problem}</Problem>}
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          name="email"
        />
        <PasswordInput
          label={texts.password}
          autoComplete="current-password"
          required
          withAsterisk={false}
          name="password"
        />
        {isCodeWanted && <CodeField name="code" />}
        <Button type="submit" fullWidth loading={busy}>
          {texts.submit}
        </Button>
        <Text size="sm" ta="center" c="dimmed">
          {signUpState.data?.reset_by_mail
            ? texts.forgotten((words) => (
                <Anchor component={PageLink} href="/forgotten-password" underline="always">
                  {words}
                </Anchor>
              ))
            : texts.forgottenAskOperator}
        </Text>
        {signUpState.data?.open && (
          <Text size="sm" ta="center" c="dimmed">
            {texts.noAccountYet((words) => (
              <Anchor component={PageLink} href="/sign-up" underline="always">
                {words}
              </Anchor>
            ))}
          </Text>
        )}
      </Stack>
    </form>
  );
}
