"use client";

import { Alert, Button, Card, Group, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { IconSend } from "@/app/_ui/icons/icons";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import type { ProviderDetail, ProviderTest } from "@/server/providers/operator-schema";
import { formatLatency } from "../provider-words";

const BODY_MAX = 1_600;
const OUTCOMES: Record<ProviderTest["outcome"], { title: string; color: string }> = {
  accepted: { title: "The provider accepted the message", color: "teal" },
  refused: { title: "The provider refused the message permanently", color: "red" },
  retryable: { title: "The provider did not accept the message", color: "red" },
  unknown: { title: "The provider may have accepted the message", color: "yellow" },
};

/** Sends one message straight to the provider and shows the outcome. */
export function TestCard({ provider: { id, state } }: { provider: ProviderDetail }) {
  const isReady = state !== "not_configured" && state !== "misconfigured";
  const form = useForm({
    mode: "controlled",
    initialValues: { to: "", from: "", body: "This is a test." },
    validate: {
      to: (to) => (to.trim() ? null : "Enter a number"),
      from: (from) => (from.trim() ? null : "Enter a sender ID"),
      body: (body) => (body ? null : "Enter a text"),
    },
  });
  const errors = useFormErrors(form);
  const test = trpc.operator.providers.test.useMutation({
    onError: errors.show,
  });
  const submit = form.onSubmit(({ to, from, body }) => {
    errors.clear();
    test.mutate({ id, to: to.trim(), from: from.trim(), body });
  });
  return (
    <Card component="section" aria-labelledby="test">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Title order={2} size="h4" id="test">
            Send a test
          </Title>
          <Text size="sm" c="dimmed">
            {isReady
              ? `Sent straight to ${PROVIDER_NAMES[id]}, bypassing routes and prices. It is neither billed nor stored here.`
              : "Save the provider’s settings first."}
          </Text>
          <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
            <TextInput label="To" placeholder="+14155550123" type="tel" {...form.getInputProps("to")} />
            <TextInput label="From" placeholder="ACME" {...form.getInputProps("from")} />
          </Group>
          <Textarea label="Text" autosize minRows={2} maxLength={BODY_MAX} {...form.getInputProps("body")} />
          <ErrorAlert error={errors.unplaced} title="The test was not sent" />
          {test.data && !test.isPending && <Outcome test={test.data} />}
          <Group>
            <Button
              type="submit"
              variant="light"
              leftSection={<IconSend size={16} />}
              loading={test.isPending}
              disabled={!isReady}
            >
              Send test
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

function Outcome({ test }: { test: ProviderTest }) {
  const { title, color } = OUTCOMES[test.outcome];
  return (
    <Alert
      color={color}
      variant="light"
      role="status"
      title={`${title} (${formatLatency(test.latency_ms)})`}
      styles={{ title: { color: "var(--mantine-color-text)" } }}
    >
      {test.code && (
        <Text size="sm" className="break-word">
          <span className="mono">{test.code}</span>: {test.detail}
        </Text>
      )}
      {test.provider_message_ids.length > 0 && (
        <Text size="sm" className="break-word">
          Provider’s message ID: <span className="mono">{test.provider_message_ids.join(", ")}</span>
        </Text>
      )}
      <Text size="xs" c="dimmed" mt={4} className="break-word">
        Reference <span className="mono">{test.reference}</span>
      </Text>
    </Alert>
  );
}
