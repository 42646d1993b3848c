"use client";

import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useEffect, useState } from "react";
import { signInAgainTexts as texts } from "@/app/_texts/shell/sign-in-again";
import { canUsePasskeys } from "@/app/_ui/passkeys";
import { Problem } from "@/app/_ui/problem";
import { PasskeyButton } from "../(auth)/sign-in/passkey-button";
import { SecondFactorFields } from "../(auth)/sign-in/second-factor-fields";
import { type BeginPasskey, useSignIn } from "../(auth)/sign-in/use-sign-in";

/** The parts of the service that a sign-in with a passkey needs. `readOrigin`: where passkeys work; null: nowhere. */
export type PasskeySignIn = { readOrigin: () => Promise<string | null>; begin: BeginPasskey };

/** Signs a person in again: with the password, and a second factor if one is asked for, or with a passkey. */
export function SignInAgainForm({
  email,
  passkeys,
  onSignedIn,
  onLeave,
}: {
  email: string;
  passkeys: PasskeySignIn;
  onSignedIn: () => void;
  onLeave: () => void;
}) {
  const form = useForm({ initialValues: { password: "", code: "" } });
  const signIn = useSignIn(passkeys.begin, onSignedIn);
  const { problem, busy, wanted } = signIn;
  const [canUsePasskey, setCanUsePasskey] = useState(false);
  useEffect(() => {
    // Without a response, the password remains.
    passkeys.readOrigin().then(
      (origin) => setCanUsePasskey(canUsePasskeys(origin)),
      () => undefined,
    );
  }, [passkeys]);

  return (
    <form
      method="post"
      aria-label={texts.label}
      onChange={signIn.forgetProblem}
      onSubmit={form.onSubmit((entered) => void signIn.withPassword({ email, ...entered }))}
    >
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
        {wanted && (
          <SecondFactorFields
            wanted={wanted}
            passkey={
              canUsePasskey
                ? {
                    busy: busy === "passkey",
                    onUse: () => void signIn.withPasskey({ email, password: form.getValues().password }),
                  }
                : null
            }
            {...form.getInputProps("code")}
          />
        )}
        {canUsePasskey && !wanted && (
          <PasskeyButton
            label={texts.withPasskey}
            busy={busy === "passkey"}
            onUse={() => void signIn.withPasskey({ email })}
          />
        )}
        <Group className="dialog-foot" justify="flex-end" gap="sm">
          <Button variant="default" onClick={onLeave}>
            {texts.leave}
          </Button>
          <Button type="submit" loading={busy === "password"}>
            {texts.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
