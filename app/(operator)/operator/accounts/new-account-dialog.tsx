"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useRef } from "react";
import { newAccountTexts as texts } from "@/app/_texts/operator/new-account";
import { trpc } from "@/app/_trpc/client";
import { OnceAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { secretDialog } from "@/app/_ui/forms/secret-dialog";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { type KeptKeys, useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { MadeInvitation } from "@/app/_ui/made-invitation";
import type { MadeAccount, NewAccountInput } from "@/server/operator/schema";

const COMPANY_MAX = 100;

/** Makes an account and invites its owner; the link is shown once, where no emails are sent. */
export function NewAccountDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const utils = trpc.useUtils();
  // They outlive the form: an account whose response was lost, and that is entered once more, is still made once.
  const usedKeys = useRef<KeptKeys>({});
  const create = useOnce(utils.client.operator.createAccount.mutate, {
    kept: usedKeys,
    onSettled: () => void utils.operator.invalidate(),
  });
  const behavior = secretDialog(create, onClose);
  return (
    <FormModal
      opened={opened}
      {...behavior}
      isDone={create.data !== undefined}
      title={create.data ? texts.made : texts.title}
    >
      {create.data ? (
        <MadeInvitation
          invitation={create.data.invitation}
          onDone={onClose}
          more={
            create.data.invitation.link === null && (
              <LinkButton href={`/operator/accounts/${create.data.account.id}`}>{texts.open}</LinkButton>
            )
          }
        />
      ) : (
        <NewAccountForm create={create} onCancel={behavior.onClose} />
      )}
    </FormModal>
  );
}

type Creation = ReturnType<typeof useOnce<NewAccountInput, MadeAccount>>;

function NewAccountForm({ create, onCancel }: { create: Creation; onCancel: () => void }) {
  const form = useForm({
    mode: "controlled",
    initialValues: { company_name: "", email: "" },
    validate: { company_name: (company) => (company.trim() ? null : texts.enterCompany) },
  });
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    create.mutate(values, { onError: errors.show });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={texts.form}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {texts.explanation}
        </Text>
        <TextInput
          label={texts.company}
          autoComplete="off"
          maxLength={COMPANY_MAX}
          data-autofocus
          {...form.getInputProps("company_name")}
        />
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="off"
          placeholder="olga@example.com"
          {...form.getInputProps("email")}
        />
        <OnceAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} />
        <FormButtons submit={texts.submit} busy={create.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
