"use client";

import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { markFields } from "@/app/_ui/forms/form-errors";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { Notice } from "@/app/_ui/notice";
import { EVENT_TYPE_VIEWS, EVENT_TYPES, STATUS_EVENT_TYPES } from "@/app/_ui/values/event-type-badge";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { CreatedWebhookEndpoint, EventType } from "@/server/webhooks/schema";

type CreateMutation = ReturnType<typeof trpc.webhooks.create.useMutation>;
type Values = { url: string; description: string; events: EventType[] };

/** Creates an endpoint and shows its signing secret, once. */
export function CreateEndpointDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const create = trpc.webhooks.create.useMutation();
  const created = create.data;
  // Closing now would lose the secret that is being created.
  const close = () => !create.isPending && onClose();
  return (
    <FormModal
      opened={opened}
      onClose={close}
      // Not before the dialog is hidden: it would switch back to the form while it fades out.
      onExitTransitionEnd={create.reset}
      isDone={created !== undefined}
      title={created ? "Endpoint created" : "Add a webhook endpoint"}
      // A stray click must not close the dialog: the secret is never shown again.
      closeOnClickOutside={false}
      closeOnEscape={!created}
    >
      {created ? <NewSecret created={created} onDone={onClose} /> : <EndpointForm create={create} onCancel={close} />}
    </FormModal>
  );
}

function EndpointForm({ create, onCancel }: { create: CreateMutation; onCancel: () => void }) {
  const utils = trpc.useUtils();
  const [unplacedError, setUnplacedError] = useState<unknown>(null);
  const form = useForm<Values>({
    initialValues: { url: "", description: "", events: STATUS_EVENT_TYPES },
    validate: {
      url: (url) => (url.trim() ? null : "Enter the URL of your endpoint"),
      events: (events) => (events.length > 0 ? null : "Select at least one event"),
    },
  });

  const submit = form.onSubmit(({ url, description, events }) => {
    setUnplacedError(null);
    create.mutate(
      { url: url.trim(), description: description.trim() || null, events },
      {
        onSuccess: () => utils.webhooks.list.invalidate(),
        onError: (error) => {
          if (!markFields(form, error)) setUnplacedError(error);
        },
      },
    );
  });

  return (
    <form onSubmit={submit} noValidate aria-label="New endpoint">
      <Stack gap="md">
        <ErrorAlert error={unplacedError} title="The endpoint was not created" />
        <TextInput
          label="Endpoint URL"
          description="https is recommended"
          placeholder="https://example.com/webhooks/sms"
          type="url"
          autoComplete="off"
          data-autofocus
          withAsterisk
          {...form.getInputProps("url")}
        />
        <TextInput
          label="Description"
          description="Optional"
          autoComplete="off"
          {...form.getInputProps("description")}
        />
        <Checkbox.Group label="Events" withAsterisk {...form.getInputProps("events")}>
          <Stack gap="sm" mt="xs" mb={4}>
            {EVENT_TYPES.map((type) => (
              <Checkbox
                key={type}
                value={type}
                label={<span className="mono">{type}</span>}
                description={EVENT_TYPE_VIEWS[type].description}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create endpoint
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function NewSecret({ created, onDone }: { created: CreatedWebhookEndpoint; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Notice title="Copy the signing secret now">
        It is shown only once. Your server needs it to verify that events come from this service.
      </Notice>
      <SecretValue
        label="Signing secret"
        value={created.signing_secret}
        notice="Each request carries Service-Signature: t=<unix time>,v1=<hex>, where v1 is the HMAC-SHA-256 of “t.body” under this secret."
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}
