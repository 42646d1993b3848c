"use client";

import { Checkbox, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { sharedTexts } from "@/app/_texts/shared";
import { endpointPartsTexts as texts } from "@/app/_texts/webhooks/parts";
import { editedOnly } from "@/app/_ui/changes/edited-only";
import { OnceAlert, SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { EVENT_TYPE_VIEWS, EVENT_TYPES, STATUS_EVENT_TYPES } from "@/app/_ui/values/event-type-badge";
import type { EventType, WebhookEndpoint } from "@/server/webhooks/schema";

type Values = { url: string; description: string | null; events: EventType[] };

/** The fields of an endpoint: of `endpoint`, or of a new one. */
export function EndpointForm({
  endpoint,
  label,
  failure,
  action,
  save,
  busy,
  onCancel,
}: {
  endpoint?: WebhookEndpoint;
  /** Accessible name of the form. */
  label: string;
  /** Title of an error that belongs to no field. */
  failure: string;
  /** The button's label. */
  action: string;
  save: (values: Values, edited: Partial<Values>, onError: (error: unknown) => void) => void;
  busy: boolean;
  onCancel: () => void;
}) {
  const form = useForm({
    initialValues: {
      url: endpoint?.url ?? "",
      description: endpoint?.description ?? "",
      events: endpoint?.events ?? STATUS_EVENT_TYPES,
    },
    validate: {
      url: (url) => (url.trim() ? null : texts.form.enterUrl),
      events: (events) => (events.length > 0 ? null : texts.form.selectEvent),
    },
  });
  const errors = useFormErrors(form);

  const submit = form.onSubmit(({ url, description, events }) => {
    errors.clear();
    const values = { url: url.trim(), description: description.trim() || null, events };
    save(values, editedOnly(form, values), errors.show);
  });

  return (
    <form onSubmit={submit} noValidate aria-label={label}>
      <Stack gap="md">
        {endpoint ? (
          <SaveAlert error={errors.unplaced} title={failure} />
        ) : (
          <OnceAlert error={errors.unplaced} title={failure} />
        )}
        <TextInput
          label={texts.form.url.label}
          description={texts.form.url.description}
          placeholder="https://example.com/webhooks/sms"
          type="url"
          autoComplete="off"
          data-autofocus
          withAsterisk
          {...form.getInputProps("url")}
        />
        <TextInput
          label={texts.form.description}
          description={sharedTexts.optional}
          autoComplete="off"
          {...form.getInputProps("description")}
        />
        <Checkbox.Group label={texts.form.events} withAsterisk {...form.getInputProps("events")}>
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
        <FormButtons submit={action} busy={busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
