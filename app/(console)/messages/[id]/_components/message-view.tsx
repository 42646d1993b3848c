"use client";

import { Alert, Card, Grid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { messageTexts as texts } from "@/app/_texts/messages/detail";
import { trpc } from "@/app/_trpc/client";
import { serverNow } from "@/app/_trpc/clock";
import { LIVE_REFRESH_MS, useLive } from "@/app/_trpc/use-live";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { BackLink } from "@/app/_ui/frame/back-link";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { usePageTitle } from "@/app/_ui/frame/use-page-title";
import { IconAlertTriangle, IconMessageOff } from "@/app/_ui/icons/icons";
import { NotFoundCard } from "@/app/_ui/lists/not-found-card";
import { QueryState } from "@/app/_ui/lists/query-state";
import { isCanceled, isScheduled, MessageStatusBadge } from "@/app/_ui/values/message-status-badge";
import type { MessageDetail } from "@/server/messages/schema";
import { isFinal } from "@/server/messages/status";
import { localTime } from "./local-time";
import { MessageActions } from "./message-actions";
import { MessageFacts } from "./message-facts";
import { MessageTimeline } from "./message-timeline";
import { elapsed } from "./timeline";

const MOVING_REFRESH_MS = 1_500;
/** The slower interval: while the message is not due, or while only webhook retries are left, which may take hours. */
const RETRYING_REFRESH_MS = 10_000;

const untilDueMs = ({ scheduled_at }: MessageDetail["message"]): number => Date.parse(scheduled_at ?? "") - serverNow();

function refreshAfterMs(detail: MessageDetail | undefined): number | false {
  if (!detail) return false;
  if (isScheduled(detail.message))
    return untilDueMs(detail.message) > RETRYING_REFRESH_MS ? RETRYING_REFRESH_MS : MOVING_REFRESH_MS;
  if (!isFinal(detail.message.status)) return MOVING_REFRESH_MS;
  const pending = detail.deliveries.filter((delivery) => delivery.status === "pending");
  if (pending.some((delivery) => delivery.attempts === 0)) return MOVING_REFRESH_MS;
  return pending.length > 0 ? RETRYING_REFRESH_MS : false;
}

/** One message with its timeline. Refreshes itself until the status is final and no webhook is pending. */
export function MessageView({ id }: { id: string }) {
  const utils = trpc.useUtils();
  const isLive = useLive(["messages", "deliveries"], () => void utils.messages.detail.invalidate({ id }));
  const detail = trpc.messages.detail.useQuery(
    { id },
    {
      refetchInterval: ({ state }) => {
        const afterMs = refreshAfterMs(state.data);
        return isLive && afterMs !== false ? LIVE_REFRESH_MS : afterMs;
      },
    },
  );
  usePageTitle(detail.data ? texts.titleTo(detail.data.message.to) : texts.title);
  if (apiErrorOf(detail.error).status === 404) return <NoSuchMessage />;
  return (
    <>
      <BackLink href="/messages">{texts.allMessages}</BackLink>
      <QueryState query={detail} loading={<MessageSkeleton />}>
        {(data) => (
          <div>
            <PageHeader
              title={texts.titleTo(data.message.to)}
              description={outcomeOf(data.message)}
              actions={
                <>
                  <span data-testid="message-status" role="status">
                    <MessageStatusBadge message={data.message} />
                  </span>
                  <MessageActions detail={data} />
                </>
              }
            />
            <Grid gap="lg">
              <Grid.Col span={{ base: 12, md: 6 }}>
                <Stack gap="lg">
                  <MessageFailure message={data.message} />
                  <MessageText body={data.message.body} />
                  <MessageFacts detail={data} />
                </Stack>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 6 }}>
                <MessageTimeline detail={data} />
              </Grid.Col>
            </Grid>
          </div>
        )}
      </QueryState>
    </>
  );
}

/** The outcome of the message in one sentence. */
function outcomeOf(message: MessageDetail["message"]): string {
  const { from, status, created_at, scheduled_at, sent_at, delivered_at, failed_at } = message;
  // A message that was canceled may have ended before it was due.
  const isDue = scheduled_at !== null && failed_at !== null ? failed_at > scheduled_at : scheduled_at !== null;
  const since = isDue ? (scheduled_at ?? "") : created_at;
  const lapseTo = (at: string | null) =>
    at === null ? null : { words: elapsed(since, at).slice(1), isSinceDue: isDue };
  switch (status) {
    case "delivered":
      return texts.outcome.delivered(from, lapseTo(delivered_at));
    case "sent":
      return texts.outcome.sent(from, lapseTo(sent_at));
    case "pending":
      return isScheduled(message)
        ? texts.outcome.scheduled(from, localTime(scheduled_at ?? ""))
        : texts.outcome.pending(from);
    case "undelivered":
      return texts.outcome.undelivered(from, lapseTo(failed_at));
    case "failed":
      return isCanceled(message)
        ? texts.outcome.canceled(from, lapseTo(failed_at))
        : texts.outcome.failed(from, lapseTo(failed_at));
  }
}

function MessageFailure({ message }: { message: MessageDetail["message"] }) {
  const { error } = message;
  if (!error) return null;
  return (
    <Alert
      color={isCanceled(message) ? "gray" : "red"}
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={error.message}
    >
      <Text size="sm">{texts.failures[error.reason]}</Text>
      <Text size="sm" className="mono">
        {error.code}
      </Text>
    </Alert>
  );
}

function MessageText({ body }: { body: string }) {
  return (
    <Card component="section" aria-label={texts.text}>
      <Title order={2} size="h4" mb="sm">
        {texts.text}
      </Title>
      {body === "" ? (
        <Text c="dimmed">{texts.textDeleted}</Text>
      ) : (
        <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }} dir="auto">
          {body}
        </Text>
      )}
    </Card>
  );
}

const NoSuchMessage = () => (
  <NotFoundCard
    icon={IconMessageOff}
    title={texts.notFound.title}
    why={texts.notFound.explanation}
    all={{ href: "/messages", label: texts.allMessages }}
  />
);

function MessageSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={36} width="60%" />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Skeleton height={420} radius="lg" />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Skeleton height={420} radius="lg" />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}
