"use client";

import { Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { senderReviewTexts as texts } from "@/app/_texts/operator/senders";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import type { ReviewedSender } from "@/server/operator/schema";
import type { Decision } from "./decision-menu";

const NOTE_MAX = 255;

/** A sender, and what an operator is about to decide on it. */
export type OpenDecision = { sender: ReviewedSender; decision: Decision };

/** Properties of the form of a decision. */
export type Deciding = {
  busy: boolean;
  onClose: () => void;
  onDecide: (note: string | undefined, onError: (error: unknown) => void) => void;
};

/** The optional note of a decision. */
export function DecisionForm({
  open: { sender, decision },
  busy,
  onClose,
  onDecide,
}: Deciding & { open: OpenDecision }) {
  const form = useForm({ mode: "controlled", initialValues: { note: "" } });
  const errors = useFormErrors(form);
  const submit = form.onSubmit(({ note }) => {
    errors.clear();
    onDecide(note.trim() || undefined, errors.show);
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">
          {decision === "suspended"
            ? texts.decision.suspension(sender.account_name)
            : texts.decision.rejection(sender.account_name)}
        </Text>
        <Textarea
          label={texts.decision.reason}
          description={texts.decision.reasonHint}
          maxLength={NOTE_MAX}
          autosize
          minRows={2}
          data-autofocus
          {...form.getInputProps("note")}
        />
        <SaveAlert error={errors.unplaced} again={texts.decision.again} />
        <FormButtons submit={texts.decide[decision]} busy={busy} isDestructive onCancel={onClose} />
      </Stack>
    </form>
  );
}
