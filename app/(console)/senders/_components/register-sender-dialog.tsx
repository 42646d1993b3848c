"use client";

import { Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { sendersTexts as texts } from "@/app/_texts/senders";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import { OnceAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { toastDone } from "@/app/_ui/toast";
import { countryName } from "@/app/_ui/values/country-name";
import { SENDER_TYPE_LABELS } from "@/app/_ui/values/sender-words";
import type { Sender } from "@/server/senders/schema";
import { DltFields, type DltValues, dltInput, NO_DLT } from "./dlt-fields";
import { senderIdProblem } from "./sender-id-problem";

const typeOptions = () => Object.entries(SENDER_TYPE_LABELS).map(([value, label]) => ({ value, label }));

/** The country whose senders are registered with DLT IDs. */
const INDIA = "IN";

type Values = { sender_id: string; type: Sender["type"] | null; country_code: string } & DltValues;

/** Registers a sender ID, which is pending until an operator approves it. */
export function RegisterSenderDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <FormModal opened={opened} onClose={onClose} title={texts.registration.title}>
      <RegisterSenderForm onClose={onClose} />
    </FormModal>
  );
}

function RegisterSenderForm({ onClose }: { onClose: () => void }) {
  const utils = trpc.useUtils();
  const create = useOnce(utils.client.senders.create.mutate, {
    late: { failed: texts.registration.notRegistered },
    onSuccess: ({ sender_id: made }) => toastDone(texts.registration.done(made)),
    onSettled: () => void utils.senders.invalidate(),
  });
  const form = useForm<Values>({
    initialValues: { sender_id: "", type: null, country_code: "", ...NO_DLT },
    validate: {
      sender_id: (id) => senderIdProblem(id.trim()),
      country_code: (code) => (code === "" || countryName(code) ? null : texts.registration.noSuchCountry),
    },
  });
  const errors = useFormErrors(form);

  const submit = form.onSubmit(({ sender_id, type, country_code, ...values }) => {
    errors.clear();
    create.mutate(
      {
        sender_id: sender_id.trim(),
        type: type ?? undefined,
        country_code: country_code || undefined,
        ...(country_code === INDIA && dltInput(values)),
      },
      { onSuccess: onClose, onError: errors.show },
    );
  });

  const country = form.getInputProps("country_code");
  return (
    <form onSubmit={submit} noValidate aria-label={texts.registration.form}>
      <Stack gap="md">
        <OnceAlert error={errors.unplaced} title={texts.registration.notRegistered} />
        <TextInput
          label={texts.senderId}
          description={texts.registration.senderIdHint}
          placeholder={texts.registration.senderIdExample}
          autoComplete="off"
          data-autofocus
          withAsterisk
          {...form.getInputProps("sender_id")}
        />
        <Choice
          label={texts.type}
          description={texts.registration.typeHint}
          placeholder={texts.registration.automaticType}
          data={typeOptions()}
          {...form.getInputProps("type")}
        />
        <TextInput
          label={texts.country}
          description={countryName(form.values.country_code) ?? texts.registration.countryHint}
          placeholder={texts.anyCountry}
          autoComplete="off"
          maxLength={2}
          {...country}
          onChange={(event) => form.setFieldValue("country_code", event.currentTarget.value.toUpperCase())}
        />
        {form.values.country_code === INDIA && <DltFields form={form} />}
        <FormButtons submit={texts.registration.submit} busy={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
