import { Anchor, Card, Group, Text, Timeline, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { messageTexts } from "@/app/_texts/messages/detail";
import { PageLink } from "@/app/_ui/frame/page-link";
import {
  IconArrowsExchange,
  IconBroadcast,
  IconCalendarClock,
  IconCash,
  IconCircleCheck,
  IconCircleX,
  IconInbox,
  IconReceipt,
  IconSend,
  IconWebhook,
} from "@/app/_ui/icons/icons";
import { formatCount } from "@/app/_ui/values/count";
import { isCanceled } from "@/app/_ui/values/message-status-badge";
import { formatMoney } from "@/app/_ui/values/money";
import { providerName } from "@/app/_ui/values/provider-name";
import { shortUrl } from "@/app/_ui/values/short-url";
import { TONE_COLORS, type Tone } from "@/app/_ui/values/status-badge";
import { ExactTime, Time } from "@/app/_ui/values/time";
import type { MessageDetail } from "@/server/messages/schema";
import { elapsed, foldedTimeline, type TimelineEntry } from "./timeline";

type Outcome = MessageDetail["attempts"][number]["outcome"];

const OUTCOME_TONES: Record<NonNullable<Outcome>, Tone> = {
  accepted: "success",
  refused: "danger",
  retryable: "warning",
  unknown: "warning",
};

const DELIVERY_TONES: Readonly<Record<string, Tone>> = {
  pending: "neutral",
  delivered: "success",
  abandoned: "danger",
  held: "warning",
};

type EntryView = { icon: ReactNode; tone: Tone; title: string; body?: ReactNode };

const icon = (Icon: typeof IconSend) => <Icon size={14} aria-hidden />;

/** `code: detail`, without the part that is null. */
const reasonOf = (code: string | null, detail: string | null) => [code, detail].filter(Boolean).join(": ");

function attemptView(attempt: MessageDetail["attempts"][number]): EntryView {
  const texts = messageTexts.timeline;
  const title = attempt.outcome ? texts.attempts[attempt.outcome] : texts.attemptUnderWay;
  return {
    icon: icon(IconBroadcast),
    tone: attempt.outcome ? OUTCOME_TONES[attempt.outcome] : "neutral",
    title: title(attempt.seq, providerName(attempt.provider)),
    body: (
      <>
        {attempt.latency_ms !== null && (
          <span className="tabular">{texts.latency(formatCount(attempt.latency_ms))}</span>
        )}
        {attempt.latency_ms !== null && (attempt.code || attempt.detail) && " · "}
        {reasonOf(attempt.code, attempt.detail)}
      </>
    ),
  };
}

function receiptView(receipt: MessageDetail["receipts"][number]): EntryView {
  const texts = messageTexts.timeline;
  const reason = reasonOf(receipt.code, receipt.detail);
  return {
    icon: icon(IconReceipt),
    tone: receipt.applied ? "info" : "neutral",
    title: texts.receipt(receipt.status),
    body: (
      <>
        {reason}
        {!receipt.applied && (
          <span>
            {reason && " · "}
            {texts.receiptNotApplied}
          </span>
        )}
      </>
    ),
  };
}

function deliveryView(delivery: MessageDetail["deliveries"][number], messageId: string): EntryView {
  const texts = messageTexts.timeline;
  return {
    icon: icon(IconWebhook),
    tone: DELIVERY_TONES[delivery.status] ?? "neutral",
    title: texts.webhook(delivery.event_type, delivery.status === "held" ? texts.parked : delivery.status),
    body: (
      <>
        <Anchor
          component={PageLink}
          href={`/webhooks/${delivery.endpoint_id}?message=${messageId}`}
          size="sm"
          underline="always"
          style={{ overflowWrap: "anywhere" }}
        >
          {shortUrl(delivery.url)}
        </Anchor>
        {" · "}
        {texts.tries(delivery.attempts)}
      </>
    ),
  };
}

function viewOf(entry: TimelineEntry, { message }: MessageDetail): EntryView {
  const texts = messageTexts.timeline;
  switch (entry.kind) {
    case "accepted":
      return { icon: icon(IconInbox), tone: "neutral", title: texts.accepted };
    case "rescheduled":
      return {
        icon: icon(IconCalendarClock),
        tone: "neutral",
        title: texts.rescheduled(entry.times, formatCount(entry.times)),
        body: texts.toBeSent(<ExactTime value={entry.scheduledAt} />),
      };
    case "attempt":
      return attemptView(entry.attempt);
    case "receipt":
      return receiptView(entry.receipt);
    case "ledger":
      return {
        icon: icon(entry.move.kind === "refund" ? IconArrowsExchange : IconCash),
        tone: "neutral",
        title: texts.money[entry.move.kind] ?? entry.move.kind,
        body: entry.move.amount !== 0 && signed(entry.move.amount, message.currency),
      };
    case "sent":
      return {
        icon: icon(IconSend),
        tone: "info",
        title: texts.sent,
        body: texts.sentBy(providerName(message.provider)),
      };
    case "delivered":
      return { icon: icon(IconCircleCheck), tone: "success", title: texts.delivered };
    case "failed":
      if (isCanceled(message)) return { icon: icon(IconCircleX), tone: "neutral", title: texts.canceled };
      return {
        icon: icon(IconCircleX),
        tone: message.status === "undelivered" ? "warning" : "danger",
        // The reason is given at the top of the page.
        title: message.status === "undelivered" ? texts.undelivered : texts.failed,
      };
    case "delivery":
      return deliveryView(entry.delivery, message.id);
  }
}

const signed = (amount: number, currency: string) =>
  `${amount > 0 ? "+" : "−"}${formatMoney(Math.abs(amount), currency)}`;

/** The line of a fold: `Cost reserved · 2 webhooks`. */
function summaryOf(folded: TimelineEntry[]): string {
  const texts = messageTexts.timeline;
  const moves = folded.flatMap((entry) =>
    entry.kind === "ledger" ? [texts.money[entry.move.kind] ?? texts.otherMoney] : [],
  );
  const webhooks = folded.filter(({ kind }) => kind === "delivery").length;
  if (webhooks > 0) moves.push(texts.webhooks(webhooks, formatCount(webhooks)));
  return moves.join(" · ");
}

/** A webhook that did not arrive must not be folded away. */
const needsAttention = (entry: TimelineEntry) => entry.kind === "delivery" && entry.delivery.status !== "delivered";

function When({ entry, detail }: { entry: TimelineEntry; detail: MessageDetail }) {
  return (
    <Text size="xs" c="dimmed" mt={2} component="div" className="tabular">
      <Time value={entry.at} />
      {entry.kind !== "accepted" && ` · ${elapsed(detail.message.created_at, entry.at)}`}
    </Text>
  );
}

/** Money and webhooks, folded until someone asks. */
function Consequences({ folded, detail }: { folded: TimelineEntry[]; detail: MessageDetail }) {
  if (folded.length === 0) return null;
  return (
    <details className="fold" open={folded.some(needsAttention)}>
      <summary>{summaryOf(folded)}</summary>
      <ul className="plain-list">
        {folded.map((entry) => {
          const view = viewOf(entry, detail);
          return (
            <li key={entry.key}>
              <Group gap={8} wrap="nowrap" align="flex-start">
                <Text span c={TONE_COLORS[view.tone]} lh={1.4}>
                  {view.icon}
                </Text>
                <Text size="sm" component="div" className="break-word">
                  {view.title}
                  {view.body && (
                    <Text span inherit c="dimmed">
                      {" · "}
                      {view.body}
                    </Text>
                  )}
                  <When entry={entry} detail={detail} />
                </Text>
              </Group>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/**
 * The history of a message: attempts, receipts and status changes, oldest first, and folded below them the money and the
 * webhooks that they caused.
 */
export function MessageTimeline({ detail }: { detail: MessageDetail }) {
  const entries = foldedTimeline(detail);
  return (
    <Card component="section" aria-label={messageTexts.timeline.title}>
      <Title order={2} size="h4" mb="lg">
        {messageTexts.timeline.title}
      </Title>
      <Timeline
        bulletSize={28}
        lineWidth={2}
        active={entries.length - 1}
        styles={{ itemTitle: { fontSize: "var(--mantine-font-size-sm)", fontWeight: 600, lineHeight: 1.4 } }}
      >
        {entries.map(({ entry, folded }) => {
          const view = viewOf(entry, detail);
          return (
            <Timeline.Item key={entry.key} bullet={view.icon} color={TONE_COLORS[view.tone]} title={view.title}>
              {view.body && (
                <Text size="sm" c="dimmed" component="div" className="break-word">
                  {view.body}
                </Text>
              )}
              <When entry={entry} detail={detail} />
              <Consequences folded={folded} detail={detail} />
            </Timeline.Item>
          );
        })}
      </Timeline>
    </Card>
  );
}
