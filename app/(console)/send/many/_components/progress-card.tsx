"use client";

import { Button, Card, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { sendManyTexts } from "@/app/_texts/send/many";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { IconDownload } from "@/app/_ui/icons/icons";
import { Notice } from "@/app/_ui/notice";
import { formatCount } from "@/app/_ui/values/count";
import { isFinished, isResumable, type Plan } from "./plan";

async function download(plan: Plan) {
  const { downloadText, toCsv } = await import("@/app/_ui/values/csv");
  const rows = plan.results.flat().map(({ line, to, id, status, error }) => [line, to, status, id, error]);
  downloadText("send-results.csv", toCsv([["line", "to", "status", "message_id", "error"], ...rows]));
}

/** How far a send has come, and what became of each recipient. */
export function ProgressCard({
  plan,
  error,
  isSending,
  isStopping,
  onContinue,
  onStop,
  onPutAway,
}: {
  plan: Plan;
  error: unknown;
  isSending: boolean;
  isStopping: boolean;
  onContinue: () => void;
  onStop: () => void;
  onPutAway: () => void;
}) {
  const texts = sendManyTexts.progress;
  const results = plan.results.flat();
  const failed = results.filter(({ status }) => status === "failed").length;
  const isDone = isFinished(plan);
  const canContinue = !isDone && !isSending && isResumable(plan, Date.now());
  const askToDiscard = () =>
    confirmAction({
      title: texts.discardQuestion,
      children: texts.discardConsequence,
      confirmLabel: texts.discardRest,
      onConfirm: onPutAway,
    });
  return (
    <Card component="section" aria-labelledby="progress">
      <Stack gap="md">
        <Title order={2} size="h4" id="progress">
          {isDone ? texts.done : isSending ? texts.sending : texts.incomplete}
        </Title>
        <Progress value={(results.length / plan.rows.length) * 100} aria-label={texts.confirmedBar} />
        <Text size="sm" role="status">
          {texts.confirmed(
            formatCount(results.length),
            formatCount(plan.rows.length),
            formatCount(results.length - failed),
            formatCount(failed),
          )}
        </Text>
        <ErrorAlert error={error} title={texts.batchFailed} />
        {canContinue && (
          <Notice title={texts.continueTitle}>
            <Text size="sm">{texts.continueExplanation}</Text>
          </Notice>
        )}
        {!isDone && !isSending && !canContinue && (
          <Notice title={texts.tooOldTitle}>
            <Text size="sm">{texts.tooOldExplanation}</Text>
          </Notice>
        )}
        <Group gap="sm">
          {canContinue && <Button onClick={onContinue}>{texts.continue}</Button>}
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={results.length === 0}
            onClick={() => void download(plan)}
          >
            {texts.download}
          </Button>
          {isDone && (
            <LinkButton href="/messages" variant="default">
              {texts.viewMessages}
            </LinkButton>
          )}
          {isSending ? (
            <Button variant="subtle" loading={isStopping} onClick={onStop}>
              {texts.stop}
            </Button>
          ) : (
            <Button variant="subtle" onClick={isDone ? onPutAway : askToDiscard}>
              {isDone ? texts.sendToOthers : texts.discardRest}
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
