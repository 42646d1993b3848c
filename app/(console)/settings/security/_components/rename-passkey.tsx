"use client";

import { Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { CardFormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";
import type { Passkey } from "@/server/auth/passkey-schema";

/** Gives a passkey another name. */
export function RenamePasskey({ passkey, onDone }: { passkey: Passkey; onDone: () => void }) {
  const utils = trpc.useUtils();
  const rename = useChange(utils.client.auth.passkeys.rename.mutate, {
    look: async ({ id, name }) => {
      const found = await utils.client.auth.passkeys.list.query();
      return found.passkeys.some((each) => each.id === id && each.name === name.trim()) ? found : undefined;
    },
    onSettled: () => void utils.auth.passkeys.invalidate(),
  });
  const form = useForm({ mode: "controlled", initialValues: { name: passkey.name } });
  const errors = useFormErrors(form);

  const submit = form.onSubmit(({ name }) => {
    errors.clear();
    rename.mutate(
      { id: passkey.id, name },
      {
        onError: errors.show,
        onSuccess: () => {
          toastDone(texts.passkeys.renamed);
          onDone();
        },
      },
    );
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.passkeys.renameOf(passkey.name)}>
      <Stack gap="md" maw={420}>
        <SaveAlert error={errors.unplaced} title={texts.passkeys.notRenamed} />
        <TextInput
          label={texts.passkeys.name}
          maxLength={100}
          autoComplete="off"
          autoFocus
          {...form.getInputProps("name")}
        />
        <CardFormButtons submit={sharedTexts.save} busy={rename.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}
