"use client";

import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { securityTexts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import type { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { CardFormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { IconFingerprint } from "@/app/_ui/icons/icons";
import { askForPasskey, canUsePasskeys, PasskeyNotUsed } from "@/app/_ui/passkeys";
import { Problem } from "@/app/_ui/problem";
import type { SecondFactorProof } from "@/server/auth/schema";

/** The way that the proof is being given, and why the browser used no passkey. */
function usePasskeyProof(prove: (passkey: NonNullable<SecondFactorProof["passkey"]>) => void) {
  const { client } = trpc.useUtils();
  const state = trpc.auth.signUpState.useQuery();
  const factor = trpc.auth.secondFactor.get.useQuery();
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    isOffered: (factor.data?.passkeys ?? 0) > 0 && canUsePasskeys(state.data?.passkey_origin),
    hasApp: factor.data?.enabled === true,
    isAsking,
    problem,
    forgetProblem: () => setProblem(null),
    /** @param onError takes the refusals of the service. */
    ask: async (onError: (error: unknown) => void) => {
      setAsking(true);
      setProblem(null);
      try {
        prove(await askForPasskey(await client.auth.passkeys.beginProof.mutate()));
      } catch (error) {
        if (error instanceof PasskeyNotUsed) setProblem(error.message);
        else onError(error);
      } finally {
        setAsking(false);
      }
    },
  };
}

/** Asks for the password and a second factor, a code or a passkey, and makes a change with them. */
export function SecondFactorProofForm<Result>({
  change,
  texts,
  isDestructive = false,
  onDone,
  onCancel,
}: {
  change: Pick<ReturnType<typeof useChange<SecondFactorProof, Result>>, "mutate" | "isPending">;
  texts: { form: string; consequence?: string; failed: string; unknown: string; again: string; submit: string };
  isDestructive?: boolean;
  onDone?: (result: Result) => unknown;
  onCancel: () => void;
}) {
  const form = useForm({ mode: "controlled", initialValues: { password: "", code: "" } });
  const errors = useFormErrors(form);
  const send = (proof: SecondFactorProof) => change.mutate(proof, { onSuccess: onDone, onError: errors.show });
  const passkey = usePasskeyProof((assertion) => send({ password: form.getValues().password, passkey: assertion }));

  const submit = form.onSubmit((values) => {
    errors.clear();
    passkey.forgetProblem();
    send(values);
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.form}>
      <Stack gap="md" maw={420}>
        {texts.consequence && <Text size="sm">{texts.consequence}</Text>}
        <SaveAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} again={texts.again} />
        {passkey.problem && <Problem title={texts.failed}>{passkey.problem}</Problem>}
        <PasswordInput
          label={securityTexts.proof.password}
          autoComplete="current-password"
          // The button that opened the form is gone, and the focus with it.
          autoFocus
          {...form.getInputProps("password")}
        />
        <TextInput
          label={securityTexts.secondFactor.code}
          description={passkey.hasApp ? securityTexts.proof.codeHint : securityTexts.proof.recoveryHint}
          autoComplete="one-time-code"
          {...form.getInputProps("code")}
        />
        <CardFormButtons
          submit={texts.submit}
          busy={change.isPending && !passkey.isAsking}
          isDestructive={isDestructive}
          onCancel={onCancel}
        >
          {passkey.isOffered && (
            <Button
              variant="default"
              leftSection={<IconFingerprint size={16} aria-hidden />}
              loading={passkey.isAsking}
              onClick={() => {
                errors.clear();
                if (form.getValues().password === "") form.setFieldError("password", securityTexts.proof.mustBeGiven);
                else void passkey.ask(errors.show);
              }}
            >
              {securityTexts.proof.withPasskey}
            </Button>
          )}
        </CardFormButtons>
      </Stack>
    </form>
  );
}
