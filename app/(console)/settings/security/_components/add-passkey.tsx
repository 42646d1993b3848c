"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useRef, useState } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { CardFormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { makePasskey, PasskeyNotUsed } from "@/app/_ui/passkeys";
import { Problem } from "@/app/_ui/problem";
import { toastDone } from "@/app/_ui/toast";
import type { PasskeyAdded } from "@/server/auth/schema";
import { LOST_CODES, RecoveryCodes } from "./recovery-codes";

/** Stores a passkey that the browser has made. If the response is lost, the list shows whether it is stored. */
function useAddition() {
  const utils = trpc.useUtils();
  const earlier = useRef({ ids: new Set<string>(), hasFactor: true });
  const add = useChange(utils.client.auth.passkeys.add.mutate, {
    look: async (): Promise<PasskeyAdded | undefined> => {
      const { passkeys } = await utils.client.auth.passkeys.list.query();
      const passkey = passkeys.find(({ id }) => !earlier.current.ids.has(id));
      return passkey && { passkey, recovery: earlier.current.hasFactor ? null : LOST_CODES };
    },
    late: { failed: texts.addPasskey.failed, unknown: texts.addPasskey.unknown },
    onSettled: () => void Promise.all([utils.auth.passkeys.invalidate(), utils.auth.secondFactor.invalidate()]),
  });
  return {
    ...add,
    /** Has the browser make the passkey, after the service has asked for the password if need be. */
    make: async () => {
      const creation = await utils.client.auth.passkeys.beginAdd.mutate();
      const [{ passkeys }, factor] = await Promise.all([
        utils.client.auth.passkeys.list.query(),
        utils.client.auth.secondFactor.get.query(),
      ]);
      earlier.current = {
        ids: new Set(passkeys.map(({ id }) => id)),
        hasFactor: factor.enabled || factor.passkeys > 0,
      };
      return makePasskey(creation);
    },
  };
}

/** Asks for a name, has the browser make a passkey, and shows the recovery codes that come with a first second factor. */
export function AddPasskey({ onDone, onCodesLost }: { onDone: () => void; onCodesLost: () => void }) {
  const addition = useAddition();
  const [isMaking, setMaking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm({ mode: "controlled", initialValues: { name: "" } });
  const errors = useFormErrors(form);

  const submit = form.onSubmit(async ({ name }) => {
    errors.clear();
    setProblem(null);
    if (name.trim() === "") return form.setFieldError("name", texts.addPasskey.nameMissing);
    setMaking(true);
    try {
      const passkey = await addition.make();
      addition.mutate(
        { name, passkey },
        {
          onError: errors.show,
          onSuccess: ({ recovery }) => {
            toastDone(texts.addPasskey.done(name.trim()));
            if (recovery === null) onDone();
          },
        },
      );
    } catch (error) {
      if (error instanceof PasskeyNotUsed) setProblem(error.message);
      else errors.show(error);
    } finally {
      setMaking(false);
    }
  });

  if (addition.data?.recovery) {
    const makeNew = () => {
      onDone();
      onCodesLost();
    };
    return (
      <RecoveryCodes
        made={addition.data.recovery}
        lost={texts.addPasskey.codesLost}
        onDone={onDone}
        onMakeNew={makeNew}
      />
    );
  }
  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.addPasskey.form}>
      <Stack gap="md" maw={420}>
        <Text size="sm">{texts.addPasskey.instructions}</Text>
        <SaveAlert
          error={errors.unplaced}
          title={texts.addPasskey.failed}
          unknown={texts.addPasskey.unknown}
          again={texts.addPasskey.again}
        />
        {problem && <Problem title={texts.addPasskey.failed}>{problem}</Problem>}
        <TextInput
          label={texts.passkeys.name}
          description={texts.addPasskey.nameHint}
          maxLength={100}
          autoComplete="off"
          // The button that opened the form is gone, and the focus with it.
          autoFocus
          {...form.getInputProps("name")}
        />
        <CardFormButtons submit={texts.addPasskey.submit} busy={isMaking || addition.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}
