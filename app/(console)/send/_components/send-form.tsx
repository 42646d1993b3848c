"use client";

import { Button, Card, Grid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import type { inferRouterInputs } from "@trpc/server";
import { useRouter } from "next/navigation";
import { useRef } from "react";
import { sendTexts as texts } from "@/app/_texts/send/one";
import { once, trpc } from "@/app/_trpc/client";
import { isUnknown, knownOf } from "@/app/_ui/changes/outcome";
import { useSingle } from "@/app/_ui/changes/use-single";
import { DraftNote } from "@/app/_ui/drafts/draft-note";
import { useFormDraft } from "@/app/_ui/drafts/use-draft";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { Choice } from "@/app/_ui/forms/choice";
import { UNFINISHED } from "@/app/_ui/forms/date-input";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { fieldError } from "@/app/_ui/forms/form-errors";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { type UsedKeys, useIdempotencyKey } from "@/app/_ui/forms/use-idempotency-key";
import { IconSend } from "@/app/_ui/icons/icons";
import { Notice } from "@/app/_ui/notice";
import { QuietHoursChoice } from "@/app/_ui/send-time/quiet-hours-choice";
import { isoOf, SendTime, sendAtProblem } from "@/app/_ui/send-time/send-time";
import { toastDone, toastProblem } from "@/app/_ui/toast";
import type { AppRouter } from "@/server/api/router";
import { isE164, withoutSeparators } from "@/server/messages/phone";
import type { Message } from "@/server/messages/schema";
import { segmentText } from "@/server/messages/segments";
import { CostCard } from "./cost-card";
import { ScenarioHint } from "./scenario-hint";
import { SegmentMeter } from "./segment-meter";
import { SendWarning } from "./send-warning";

const QUOTE_DEBOUNCE_MS = 350;

/** Explains why no cost is shown yet. */
function hintFor(recipientIsComplete: boolean, body: string, error: unknown): string {
  if (!recipientIsComplete) return texts.cost.enterNumber;
  if (!body) return texts.cost.enterText;
  if (!error) return texts.cost.waiting;
  return fieldError("body", error) ? texts.cost.textUnusable : apiErrorOf(error).message;
}

type NewMessage = inferRouterInputs<AppRouter>["messages"]["send"];

/** A refusal is certain. Without a response the outcome is unknown, but sending again is safe. */
function SendError({ error }: { error: unknown }) {
  if (!error || !isUnknown(error)) return <ErrorAlert error={error} title={texts.refused} />;
  return (
    <Notice title={texts.unconfirmed.title} role="alert">
      <Text size="sm">{knownOf(error)}</Text>
      <Text size="sm">{texts.unconfirmed.explanation}</Text>
    </Notice>
  );
}

/** A message whose copy fills the form at first. */
export type MessageContent = { from: string; to: string; body: string; reference: string };

type Outcome = Pick<Message, "to" | "status" | "scheduled_at" | "error">;

/** Reports the actual outcome: a message can fail at the moment it is accepted. */
function tellOutcome({ to, status, scheduled_at, error }: Outcome): void {
  if (status === "failed") toastProblem(texts.done.failed(to), error?.message ?? texts.done.notSent);
  else if (scheduled_at) toastDone(texts.done.scheduled(to));
  else toastDone(texts.done.accepted(to));
}

const initialValues = (senderIds: readonly string[], original: MessageContent | undefined) => ({
  to: "",
  body: "",
  reference: "",
  send_at: "",
  ignoresQuietHours: false,
  ...original,
  from: original && senderIds.includes(original.from) ? original.from : (senderIds[0] ?? ""),
});

type Values = ReturnType<typeof initialValues>;

const quietHoursOf = ({ ignoresQuietHours }: Values) => (ignoresQuietHours ? "ignore" : null);

/** The cost of the message as entered. `shown`: undefined while it is not complete, or cannot be sent. */
function useQuote(values: Values) {
  const { from, to, body } = values;
  const [quoted] = useDebouncedValue(
    { from, to: withoutSeparators(to), body, quiet_hours: quietHoursOf(values) } as const,
    QUOTE_DEBOUNCE_MS,
  );
  const { data, error } = trpc.messages.quote.useQuery(quoted, {
    enabled: isE164(quoted.to) && quoted.body !== "",
    placeholderData: keepPreviousData,
  });
  const isComplete = isE164(withoutSeparators(to)) && body !== "";
  return { shown: isComplete && !error ? data : undefined, error };
}

/** The text, with its segments and the characters that make them more. */
function TextField({ form, refusal }: { form: UseFormReturnType<Values>; refusal: string | null | undefined }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { body } = form.values;
  return (
    <Stack gap="xs">
      <Textarea
        ref={field}
        label={texts.text}
        rows={6}
        dir="auto"
        resize="vertical"
        {...form.getInputProps("body")}
        error={form.errors.body ?? refusal}
      />
      <SegmentMeter
        body={body}
        segmentation={segmentText(body)}
        onReplace={(replaced) => form.setFieldValue("body", replaced)}
        onShow={(index, length) => {
          field.current?.focus();
          field.current?.setSelectionRange(index, index + length);
        }}
      />
    </Stack>
  );
}

/**
 * The form to send one message, which keeps a draft under the name `draftName`. `senderIds` are the approved ones, at least one;
 * a copy of `original` fills the form at first.
 */
export function SendForm({
  senderIds,
  sandbox,
  draftName,
  original,
}: {
  senderIds: string[];
  sandbox: boolean;
  draftName: string;
  original?: MessageContent;
}) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const usedKeys = useRef<UsedKeys | null>(null);
  const keyOf = useIdempotencyKey(usedKeys);
  const send = useSingle((message: NewMessage) => utils.client.messages.send.mutate(message, once(keyOf(message))), {
    late: { failed: texts.refused, unknown: texts.unconfirmed.title, next: texts.unconfirmed.draftIsKept },
    onSuccess: (message) => {
      draft.drop();
      tellOutcome(message);
      void utils.accounts.invalidate();
      void utils.messages.invalidate();
    },
  });
  const untouched = initialValues(senderIds, original);
  const form = useForm({
    initialValues: untouched,
    validate: {
      from: (from) => (from ? null : texts.selectSender),
      to: (to) => (isE164(withoutSeparators(to)) ? null : texts.enterNumber),
      body: (body) => (body ? null : texts.enterText),
      send_at: sendAtProblem,
    },
  });
  // The draft includes the idempotency keys: a message that is sent again after a lost response is still sent once.
  const draft = useFormDraft(draftName, form, untouched, {
    beside: usedKeys,
    isDone: send.isSuccess,
    isUsable: (field, value) => (field === "from" ? senderIds.some((id) => id === value) : value !== UNFINISHED),
  });
  const errors = useFormErrors(form);
  const quote = useQuote(form.values);
  const balance = trpc.accounts.balance.useQuery();
  const { to, body } = form.values;

  const submit = form.onSubmit((values) => {
    errors.clear();
    send.mutate(
      {
        from: values.from,
        to: withoutSeparators(values.to),
        body: values.body,
        reference: values.reference.trim() || null,
        send_at: isoOf(values.send_at),
        quiet_hours: quietHoursOf(values),
      },
      {
        onSuccess: ({ id }) => router.push(`/messages/${id}`),
        onError: errors.show,
      },
    );
  });

  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Card>
          <form onSubmit={submit} noValidate aria-label={texts.form}>
            <Stack gap="md">
              <DraftNote draft={draft} />
              <SendError error={errors.unplaced} />
              <Choice label={texts.from} data={senderIds} {...form.getInputProps("from")} />
              <TextInput
                label={texts.to}
                type="tel"
                autoComplete="off"
                placeholder="+14155550123"
                description={texts.toHint}
                {...form.getInputProps("to")}
                // An empty field that merely lost the focus is not wrong yet.
                onBlur={() => to !== "" && form.validateField("to")}
              />
              <TextField form={form} refusal={fieldError("body", quote.error)} />
              <TextInput
                label={texts.reference}
                description={texts.referenceHint}
                {...form.getInputProps("reference")}
              />
              <SendTime label={texts.sendLater} lead={texts.optional} {...form.getInputProps("send_at")} />
              <QuietHoursChoice
                putOffTo={(form.values.send_at === "" && quote.shown?.recipients[0]?.scheduled_at) || null}
                {...form.getInputProps("ignoresQuietHours", { type: "checkbox" })}
              />
              <SendWarning quote={quote.shown} />
              <div>
                <Button type="submit" leftSection={<IconSend size={16} />} loading={send.isPending || send.isSuccess}>
                  {form.values.send_at === "" ? texts.send : texts.schedule}
                </Button>
              </div>
            </Stack>
          </form>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="lg">
          <CostCard
            quote={quote.shown}
            balance={balance.data}
            hint={hintFor(isE164(withoutSeparators(to)), body, quote.error)}
          />
          {sandbox && <ScenarioHint />}
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
