"use client";

import { Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useRef } from "react";
import { signInTexts as texts } from "@/app/_texts/auth/sign-in";
import { trpc } from "@/app/_trpc/client";
import { PageLink } from "@/app/_ui/frame/page-link";
import { canUsePasskeys } from "@/app/_ui/passkeys";
import { Problem } from "@/app/_ui/problem";
import { FormHeading } from "../form-heading";
import { useLeaveWhenSignedIn } from "../leave-when-signed-in";
import { safeTarget } from "./next-path";
import { PasskeyButton } from "./passkey-button";
import { SecondFactorFields } from "./second-factor-fields";
import { useSignIn } from "./use-sign-in";

/** The target after sign-in, as the address of this page gives it. */
const targetOfPage = (): string =>
  safeTarget(new URLSearchParams(window.location.search).get("next"), window.location.origin);

export function SignInForm() {
  useLeaveWhenSignedIn(targetOfPage);
  const { client } = trpc.useUtils();
  const signUpState = trpc.auth.signUpState.useQuery();
  const form = useRef<HTMLFormElement>(null);
  // A full load, so that nothing of an earlier session stays in the cache.
  const signIn = useSignIn(client.auth.passkeys.beginSignIn.mutate, () => window.location.assign(targetOfPage()));
  const { problem, busy, wanted } = signIn;
  const canUsePasskey = signUpState.data !== undefined && canUsePasskeys(signUpState.data.passkey_origin);

  // The values are read from the DOM, because React does not know what was entered before hydration.
  function entered() {
    const fields = new FormData(form.current ?? undefined);
    const text = (name: string) => String(fields.get(name) ?? "");
    return { email: text("email"), password: text("password"), code: text("code") };
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    void signIn.withPassword(entered());
  }

  function continueWithPasskey() {
    const { email, password } = entered();
    void signIn.withPasskey({ email, password });
  }

  return (
    <form method="post" ref={form} onChange={signIn.forgetProblem} onSubmit={submit}>
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
        {wanted && (
          <SecondFactorFields
            wanted={wanted}
            passkey={canUsePasskey ? { busy: busy === "passkey", onUse: continueWithPasskey } : null}
            name="code"
          />
        )}
        <Button type="submit" fullWidth loading={busy === "password"}>
          {texts.submit}
        </Button>
        {canUsePasskey && !wanted && (
          <>
            <Divider label={texts.or} />
            <PasskeyButton
              label={texts.withPasskey}
              busy={busy === "passkey"}
              onUse={() => void signIn.withPasskey({})}
            />
          </>
        )}
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
