"use client";

import { Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { senderReviewTexts as texts } from "@/app/_texts/operator/senders";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";
import { type EnteredNumber, numberOrNull, optionalNumberProblem } from "@/app/_ui/values/entered-number";
import type { ReviewedSender } from "@/server/operator/schema";
import { readSender } from "./read-sender";

const DECIMALS = 2;

/** The field of the throughput limit. */
export function ThroughputForm({ sender, onDone }: { sender: ReviewedSender; onDone: () => void }) {
  const utils = trpc.useUtils();
  const form = useForm<{ max_segments_per_second: EnteredNumber }>({
    mode: "controlled",
    initialValues: { max_segments_per_second: sender.max_segments_per_second ?? "" },
    validate: { max_segments_per_second: optionalNumberProblem },
  });
  const errors = useFormErrors(form);
  const setLimit = useChange(utils.client.operator.throttleSender.mutate, {
    look: async (asked) => ifHolds(await readSender(utils.client, sender), asked),
    onSuccess: ({ sender_id, max_segments_per_second: limit }) =>
      toastDone(limit === null ? texts.throughput.removed(sender_id) : texts.throughput.saved(sender_id, limit)),
    onSettled: () => void utils.operator.senders.invalidate(),
  });
  const submit = form.onSubmit(({ max_segments_per_second: entered }) => {
    errors.clear();
    setLimit.mutate(
      { id: sender.id, max_segments_per_second: numberOrNull(entered) },
      { onSuccess: onDone, onError: errors.show },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <NumberField
          label={texts.segmentsPerSecond}
          description={texts.throughput.emptyForNone}
          decimals={DECIMALS}
          data-autofocus
          {...form.getInputProps("max_segments_per_second")}
        />
        <SaveAlert error={errors.unplaced} />
        <FormButtons submit={texts.throughput.submit} busy={setLimit.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}
