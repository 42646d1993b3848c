"use client";

import { Button, Card, Group, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { providerTexts } from "@/app/_texts/operator/provider";
import { trpc } from "@/app/_trpc/client";
import { isUnknown, knownOf } from "@/app/_ui/changes/outcome";
import { useSingle } from "@/app/_ui/changes/use-single";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { IconSend } from "@/app/_ui/icons/icons";
import { Notice } from "@/app/_ui/notice";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import type { ProviderDetail } from "@/server/providers/operator-schema";
import { TestOutcome } from "./test-outcome";

const BODY_MAX = 1_600;

/** Sends one message straight to the provider and shows the outcome. */
export function TestCard({ provider: { id, state } }: { provider: ProviderDetail }) {
  const texts = providerTexts.test;
  const isReady = state !== "not_configured" && state !== "misconfigured";
  const form = useForm({
    mode: "controlled",
    initialValues: { to: "", from: "", body: texts.firstText },
    validate: {
      to: (to) => (to.trim() ? null : texts.enterNumber),
      from: (from) => (from.trim() ? null : texts.enterSenderId),
      body: (body) => (body ? null : texts.enterText),
    },
  });
  const errors = useFormErrors(form);
  const utils = trpc.useUtils();
  const test = useSingle(utils.client.operator.providers.test.mutate, {
    late: { failed: texts.notSent, unknown: texts.maybeSent, next: texts.lookFirst },
  });
  const submit = form.onSubmit(({ to, from, body }) => {
    errors.clear();
    test.mutate({ id, to: to.trim(), from: from.trim(), body }, { onError: errors.show });
  });
  return (
    <Card component="section" aria-labelledby="test">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Title order={2} size="h4" id="test">
            {texts.title}
          </Title>
          <Text size="sm" c="dimmed">
            {isReady ? texts.explanation(PROVIDER_NAMES[id]) : texts.saveSettingsFirst}
          </Text>
          <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
            <TextInput label={texts.to} placeholder="+14155550123" type="tel" {...form.getInputProps("to")} />
            <TextInput label={texts.from} placeholder={texts.fromExample} {...form.getInputProps("from")} />
          </Group>
          <Textarea label={texts.text} autosize minRows={2} maxLength={BODY_MAX} {...form.getInputProps("body")} />
          <TestError error={errors.unplaced} />
          {test.data && !test.isPending && <TestOutcome test={test.data} />}
          <Group>
            <Button
              type="submit"
              variant="light"
              leftSection={<IconSend size={16} />}
              loading={test.isPending}
              disabled={!isReady}
            >
              {texts.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

/** A refusal is certain. Without a response, or after a failure on the way, the provider may have been called. */
function TestError({ error }: { error: unknown }) {
  const texts = providerTexts.test;
  if (!error || !isUnknown(error)) return <ErrorAlert error={error} title={texts.notSent} />;
  return (
    <Notice title={texts.maybeSent} role="alert">
      {knownOf(error)} {texts.lookFirst}
    </Notice>
  );
}
