"use client";

import { Fieldset, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMayChange } from "@/app/_shell/may-change";
import { sendersTexts as texts } from "@/app/_texts/senders";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";
import type { Sender } from "@/server/senders/schema";
import { DltFields, type DltValues, dltInput } from "./dlt-fields";

/** The ids of a sender's registration in India, to change or, for some, to read; null: closed. */
export function DltDialog({ sender, onClose }: { sender: Sender | null; onClose: () => void }) {
  return (
    <FormModal opened={sender !== null} onClose={onClose} title={texts.dlt.idsOf(sender?.sender_id ?? "")}>
      {sender && <DltForm sender={sender} onClose={onClose} />}
    </FormModal>
  );
}

function DltForm({ sender, onClose }: { sender: Sender; onClose: () => void }) {
  const utils = trpc.useUtils();
  const mayChange = useMayChange();
  const update = useChange(utils.client.senders.update.mutate, {
    look: async (asked) => ifHolds(await utils.client.senders.get.query({ id: asked.id }), asked),
    late: { failed: texts.dlt.notSaved },
    onSuccess: ({ sender_id }) => toastDone(texts.dlt.saved(sender_id)),
    onSettled: () => void utils.senders.invalidate(),
  });
  const form = useForm<DltValues>({
    initialValues: {
      dlt_entity_id: sender.dlt_entity_id ?? "",
      dlt_template_id: sender.dlt_template_id ?? "",
      dlt_template_category: sender.dlt_template_category,
    },
  });
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    update.mutate({ id: sender.id, ...dltInput(values) }, { onSuccess: onClose, onError: errors.show });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={texts.dlt.ids}>
      <Stack gap="md">
        <SaveAlert error={errors.unplaced} title={texts.dlt.notSaved} />
        <Fieldset variant="unstyled" disabled={!mayChange}>
          <DltFields form={form} />
        </Fieldset>
        {mayChange && <FormButtons submit={sharedTexts.save} busy={update.isPending} onCancel={onClose} />}
      </Stack>
    </form>
  );
}
