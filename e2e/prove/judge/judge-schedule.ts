/** Checks the callers' times: canceled messages are not sent, scheduled ones are not early, and none are faster than allowed. */
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";

const CANCELED = "canceled";

/** Behaviors of carriers that certainly did not take the message, so that it could still be canceled. */
const DECLINED: readonly string[] = ["refuse", "unavailable", "throttle"];

export type ScheduleVerdict = {
  /** Messages that were canceled but sent anyway, or failed as canceled although nobody canceled them. */
  canceled: string[];
  /** Messages handed to a carrier before their time, or claimed after the end of their validity period. */
  untimely: string[];
  /** Sender IDs that sent faster than their throughput limit allows. */
  tooFast: string[];
};

/** A canceled message reaches no carrier; a message whose cancellation was refused does not end as canceled. */
function judgeCancellations({ cancellations, requests, taken, database }: Evidence): string[] {
  const requestsByNumber = groupBy(requests, ({ to }) => to);
  const takenNumbers = new Set(taken.map(({ to }) => to));
  const messages = new Map(database.messages.map((message) => [message.id, message]));
  const results = new Map(cancellations.map((each) => [each.id, each]));
  const found = cancellations.flatMap(({ id, to, result, knownAtMs }) => {
    const message = messages.get(id);
    const isCanceled = message?.status === "failed" && message.errorCode === CANCELED;
    if (result === "refused") return isCanceled ? [`${id} could not be canceled, and is`] : [];
    if (result === null) return [];
    const own = requestsByNumber.get(to) ?? [];
    return [
      ...(isCanceled ? [] : [`${id} was canceled and is ${message?.status} ${message?.errorCode ?? ""}`]),
      ...(takenNumbers.has(to) ? [`${id} was canceled, and a carrier took it`] : []),
      ...own.flatMap(({ atMs, carrier, behavior }) =>
        atMs > knownAtMs || !DECLINED.includes(behavior) ? [`${id} was canceled, and ${carrier} was asked`] : [],
      ),
    ];
  });
  const unasked = database.messages.flatMap(({ id, errorCode }) =>
    errorCode === CANCELED && !results.has(id) ? [`${id} was canceled by nobody`] : [],
  );
  return [...found, ...unasked];
}

/** No carrier is asked before `send_at`, and no attempt is claimed after the end of the validity period. */
function judgeTimes({ sends, requests, history }: Evidence): string[] {
  const requestsByNumber = groupBy(requests, ({ to }) => to);
  const claims = groupBy(
    // The row that withdraws a message is not an attempt.
    history.attempts.filter(({ op, outcome }) => op === "INSERT" && outcome !== "withdrawn"),
    ({ messageId }) => messageId,
  );
  return sends.flatMap(({ atMs, acceptedMs, dueMs, validityS, messages }) =>
    (messages ?? []).flatMap(({ id, to }) => {
      const early = dueMs === null ? [] : (requestsByNumber.get(to) ?? []).filter((request) => request.atMs < dueMs);
      // The period began at the acceptance, before the response.
      const endsMs = validityS === null ? null : atMs + (acceptedMs ?? 0) + validityS * 1_000;
      const late = endsMs === null ? [] : (claims.get(id) ?? []).filter((claim) => claim.atMs > endsMs);
      return [
        ...early.map(
          ({ carrier, atMs: askedMs }) => `${id} was given to ${carrier} ${(dueMs ?? 0) - askedMs} ms early`,
        ),
        ...late.map(({ provider, atMs: claimedMs }) => {
          return `${id} was claimed for ${provider} ${Math.round(claimedMs - (endsMs ?? 0))} ms after its period`;
        }),
      ];
    }),
  );
}

/** Between its first and last claim a sender ID sends at most as many segments as its limit allows, plus a second's burst. */
function judgePace({ sends, paced, database, history }: Evidence): string[] {
  const messages = new Map(database.messages.map((message) => [message.id, message]));
  const senderOf = new Map(
    sends
      .filter(({ from }) => paced.senders.includes(from))
      .flatMap(({ accountId, messages: own }) => (own ?? []).map(({ id }) => [id, accountId] as const)),
  );
  const claims = history.attempts.filter(
    ({ op, outcome, messageId }) => op === "INSERT" && outcome !== "withdrawn" && senderOf.has(messageId),
  );
  return [...groupBy(claims, ({ messageId }) => senderOf.get(messageId) ?? "")].flatMap(([accountId, own]) => {
    const sizes = own.map(({ messageId }) => messages.get(messageId)?.segments ?? 0);
    const times = own.map(({ atMs }) => atMs);
    const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
    // A message may overdraw the bucket.
    const most = paced.segmentsPerSecond * (seconds + 1) + Math.max(...sizes);
    const sent = sizes.reduce((sum, size) => sum + size, 0);
    return sent > most ? [`${accountId}: ${sent} segments in ${seconds.toFixed(1)} s, ${most.toFixed(1)} allowed`] : [];
  });
}

export const judgeSchedule = (evidence: Evidence): ScheduleVerdict => ({
  canceled: judgeCancellations(evidence),
  untimely: judgeTimes(evidence),
  tooFast: judgePace(evidence),
});
