"use client";

import { Button, Card, Group, Progress, Stack, Text, Title } from "@mantine/core";
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
  onContinue,
  onPutAway,
}: {
  plan: Plan;
  error: unknown;
  isSending: boolean;
  onContinue: () => void;
  onPutAway: () => void;
}) {
  const results = plan.results.flat();
  const failed = results.filter(({ status }) => status === "failed").length;
  const isDone = isFinished(plan);
  const canContinue = !isDone && !isSending && isResumable(plan, Date.now());
  return (
    <Card component="section" aria-labelledby="progress">
      <Stack gap="md">
        <Title order={2} size="h4" id="progress">
          {isDone ? "All batches were accepted" : isSending ? "Sending…" : "This send is not complete"}
        </Title>
        <Progress value={(results.length / plan.rows.length) * 100} aria-label="Recipients confirmed" />
        <Text size="sm" role="status">
          {`${formatCount(results.length)} of ${formatCount(plan.rows.length)} confirmed: ${formatCount(
            results.length - failed,
          )} accepted, ${formatCount(failed)} failed at once.`}
        </Text>
        <ErrorAlert error={error} title="The last batch was not confirmed" />
        {canContinue && (
          <Notice title="Continue where it stopped">
            <Text size="sm">
              Accepted messages are not sent again: the batch that was under way is repeated with its key, and carried
              out once.
            </Text>
          </Notice>
        )}
        {!isDone && !isSending && !canContinue && (
          <Notice title="This send is too old to be continued safely">
            <Text size="sm">
              Download the results, and look in the messages for the recipients that are missing there.
            </Text>
          </Notice>
        )}
        <Group gap="sm">
          {canContinue && <Button onClick={onContinue}>Continue</Button>}
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={results.length === 0}
            onClick={() => void download(plan)}
          >
            Download results
          </Button>
          {isDone && (
            <LinkButton href="/messages" variant="default">
              View messages
            </LinkButton>
          )}
          {!isSending && (
            <Button variant="subtle" onClick={onPutAway}>
              {isDone ? "Send to others" : "Discard the rest"}
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
