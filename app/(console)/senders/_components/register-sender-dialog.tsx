"use client";

import { Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";
import type { Sender } from "@/server/senders/schema";
import { DltFields, type DltValues, dltInput, NO_DLT } from "./dlt-fields";
import { countryName, SENDER_TYPE_LABELS } from "./sender-words";

const TYPE_OPTIONS = Object.entries(SENDER_TYPE_LABELS).map(([value, label]) => ({ value, label }));

/** The country whose senders are registered with DLT IDs. */
const INDIA = "IN";

type Values = { sender_id: string; type: Sender["type"] | null; country_code: string } & DltValues;

/** Registers a sender ID, which is pending until an operator approves it. */
export function RegisterSenderDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <FormModal opened={opened} onClose={onClose} title="Register a sender">
      <RegisterSenderForm onClose={onClose} />
    </FormModal>
  );
}

function RegisterSenderForm({ onClose }: { onClose: () => void }) {
  const utils = trpc.useUtils();
  const create = trpc.senders.create.useMutation();
  const form = useForm<Values>({
    initialValues: { sender_id: "", type: null, country_code: "", ...NO_DLT },
    validate: {
      sender_id: (id) => (id.trim() ? null : "Enter the sender ID"),
      country_code: (code) => (code === "" || countryName(code) ? null : "Enter a two-letter country code, such as DE"),
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
      {
        onSuccess: (sender) => {
          toastDone(`Sender “${sender.sender_id}” registered`);
          void utils.senders.invalidate();
          onClose();
        },
        onError: errors.show,
      },
    );
  });

  const country = form.getInputProps("country_code");
  return (
    <form onSubmit={submit} noValidate aria-label="New sender">
      <Stack gap="md">
        <ErrorAlert error={errors.unplaced} title="The sender was not registered" />
        <TextInput
          label="Sender ID"
          description="Up to 11 letters and digits, or a number of 3 to 15 digits"
          placeholder="ACME"
          autoComplete="off"
          data-autofocus
          withAsterisk
          {...form.getInputProps("sender_id")}
        />
        <Choice
          label="Type"
          description="Leave empty to derive it from the sender ID"
          placeholder="Automatic"
          data={TYPE_OPTIONS}
          {...form.getInputProps("type")}
        />
        <TextInput
          label="Country"
          description={
            countryName(form.values.country_code) ?? "Two-letter code, if the sender is for one country only"
          }
          placeholder="Any"
          autoComplete="off"
          maxLength={2}
          {...country}
          onChange={(event) => form.setFieldValue("country_code", event.currentTarget.value.toUpperCase())}
        />
        {form.values.country_code === INDIA && <DltFields form={form} />}
        <FormButtons submit="Register" busy={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
