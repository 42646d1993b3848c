"use client";

import { Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { addSuppressionTexts as texts } from "@/app/_texts/suppressions/add";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import { OnceAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { toastDone } from "@/app/_ui/toast";
import { withoutSeparators } from "@/server/messages/phone";

type Values = { number: string; sender_id: string | null; note: string };

/** Suppresses a number for one sender or for all. */
export function AddSuppressionDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <FormModal opened={opened} onClose={onClose} title={texts.title}>
      <AddSuppressionForm onClose={onClose} />
    </FormModal>
  );
}

function AddSuppressionForm({ onClose }: { onClose: () => void }) {
  const utils = trpc.useUtils();
  const senders = trpc.senders.names.useQuery();
  const create = useOnce(utils.client.suppressions.create.mutate, {
    late: { failed: texts.failed },
    onSuccess: (suppression) => toastDone(texts.done(suppression.number)),
    onSettled: () => void utils.suppressions.invalidate(),
  });
  const form = useForm<Values>({
    initialValues: { number: "", sender_id: null, note: "" },
    validate: { number: (number) => (number.trim() ? null : texts.enterNumber) },
  });
  const errors = useFormErrors(form);

  const submit = form.onSubmit(({ number, sender_id, note }) => {
    errors.clear();
    create.mutate(
      { number: withoutSeparators(number), sender_id, note: note.trim() || null },
      { onSuccess: onClose, onError: errors.show },
    );
  });

  return (
    <form onSubmit={submit} noValidate aria-label={texts.form}>
      <Stack gap="md">
        <OnceAlert error={errors.unplaced} title={texts.failed} />
        <TextInput
          label={texts.number}
          description={texts.numberHint}
          placeholder="+14155550123"
          type="tel"
          autoComplete="off"
          data-autofocus
          withAsterisk
          {...form.getInputProps("number")}
        />
        <Choice
          label={texts.from}
          description={texts.fromHint}
          placeholder={texts.allSenders}
          data={senders.data ?? []}
          {...form.getInputProps("sender_id")}
        />
        <TextInput
          label={texts.note}
          description={texts.noteHint}
          autoComplete="off"
          maxLength={255}
          {...form.getInputProps("note")}
        />
        <FormButtons submit={texts.submit} busy={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
