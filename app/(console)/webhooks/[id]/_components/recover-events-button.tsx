"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { IconHistory } from "@/app/_ui/icons/icons";
import { toastDone } from "@/app/_ui/toast";
import { formatCount } from "@/app/_ui/values/count";

const DAY_MS = 86_400_000;

/** The value of a `datetime-local` input: local time, to the minute. */
const toLocal = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Sends the events again that the endpoint missed since a point in time. */
export function RecoverEventsButton({ endpointId }: { endpointId: string }) {
  const [opened, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconHistory size={16} />} onClick={dialog.open}>
        Recover events
      </Button>
      <FormModal opened={opened} onClose={dialog.close} title="Recover missed events">
        <RecoverForm endpointId={endpointId} onDone={dialog.close} />
      </FormModal>
    </>
  );
}

function RecoverForm({ endpointId, onDone }: { endpointId: string; onDone: () => void }) {
  const utils = trpc.useUtils();
  const form = useForm({
    initialValues: { since: toLocal(new Date(Date.now() - DAY_MS)) },
    validate: { since: (since) => (Number.isNaN(Date.parse(since)) ? "Enter a date and a time" : null) },
  });
  const recover = trpc.webhooks.recover.useMutation({
    onSuccess: ({ recovered }) => {
      const events = `${formatCount(recovered)} ${recovered === 1 ? "event" : "events"}`;
      toastDone(
        recovered === 0
          ? "No event since then was parked or abandoned. Those still failing are retried automatically."
          : `${events} queued to be sent again`,
      );
      onDone();
      return utils.webhooks.deliveries.invalidate();
    },
  });
  const submit = form.onSubmit(({ since }) => recover.mutate({ id: endpointId, since: new Date(since).toISOString() }));
  return (
    <form onSubmit={submit} noValidate aria-label="Recovery">
      <Stack gap="md">
        <ErrorAlert error={recover.error} title="No events were recovered" />
        <Text size="sm">
          Parked and abandoned events since then are sent again. Your server may already have received some of them.
        </Text>
        <TextInput type="datetime-local" label="Since" data-autofocus withAsterisk {...form.getInputProps("since")} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={recover.isPending}>
            Recover events
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
