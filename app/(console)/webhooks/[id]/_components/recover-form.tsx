"use client";

import { Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { deliveriesTexts } from "@/app/_texts/webhooks/deliveries";
import { endpointTexts as texts } from "@/app/_texts/webhooks/endpoint";
import { trpc } from "@/app/_trpc/client";
import { serverNow } from "@/app/_trpc/clock";
import { useSingle } from "@/app/_ui/changes/use-single";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { DateInput } from "@/app/_ui/forms/date-input";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { Notice } from "@/app/_ui/notice";
import { localOf } from "@/app/_ui/send-time/send-time";
import { toastDone } from "@/app/_ui/toast";
import { formatCount } from "@/app/_ui/values/count";
import { DAY_MS } from "@/app/_ui/values/days";
import { useZoneName } from "@/app/_ui/values/zone-name";

/** An interrupted recovery is known to have done a part. */
function RecoverError({ error }: { error: unknown }) {
  const { partly, restNext, notRecovered, unknown, again } = texts.recover;
  if (apiErrorOf(error).reason === "recovery_interrupted") {
    return (
      <Notice title={partly} role="alert">
        {restNext}
      </Notice>
    );
  }
  return <SaveAlert error={error} title={notRecovered} unknown={unknown} again={again} />;
}

/** Asks since when the events are to be sent again. */
export function RecoverForm({ endpointId, onDone }: { endpointId: string; onDone: () => void }) {
  const utils = trpc.useUtils();
  const zone = useZoneName();
  const form = useForm({
    initialValues: { since: localOf(new Date(serverNow() - DAY_MS)) },
    validate: { since: (since) => (Number.isNaN(Date.parse(since)) ? texts.recover.enterTime : null) },
  });
  const errors = useFormErrors(form);
  const recover = useSingle(utils.client.webhooks.recover.mutate, {
    late: { failed: texts.recover.notRecovered, unknown: texts.recover.unknown, next: texts.recover.again },
    onSuccess: ({ recovered }) => {
      toastDone(
        recovered === 0 ? texts.recover.nothing : deliveriesTexts.queuedAgain(recovered, formatCount(recovered)),
      );
      onDone();
    },
    onSettled: () => void utils.webhooks.numberedDeliveries.invalidate(),
  });
  const submit = form.onSubmit(({ since }) => {
    errors.clear();
    recover.mutate({ id: endpointId, since: new Date(since).toISOString() }, { onError: errors.show });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={texts.recover.form}>
      <Stack gap="md">
        <RecoverError error={errors.unplaced} />
        <Text size="sm">{texts.recover.effect}</Text>
        <DateInput
          type="datetime-local"
          label={texts.recover.since}
          description={zone && texts.recover.inZone(zone)}
          data-autofocus
          withAsterisk
          {...form.getInputProps("since")}
        />
        <FormButtons submit={texts.recover.submit} busy={recover.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}
