/** Checks that suppressions, deleted sender IDs and suspended accounts hold from their acknowledgment on, and no longer. */
import type { Aim, Ban } from "../load/bans";
import type { StoredMessage } from "./books";
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";

/** Why a banned message fails, or its send is refused. */
const REASONS = {
  suppression: "blocklisted",
  sender: "sender_not_approved",
  account: "account_not_active",
} as const satisfies Record<Ban["what"], string>;

/** A ban is looked for at most this long before a provider is called; an attempt that has begun by then is under way. */
const LOOKED_FOR_WITHIN_MS = 1_000;
/** Web processes other than the one that deleted a sender ID may approve it for this long. */
const APPROVED_FOR_MS = 1_000;
/** Duration of the statement that begins an attempt. */
const SLACK_MS = 500;

const described = ({ status, errorCode }: StoredMessage) => `${status} ${errorCode ?? ""}`.trim();

/** The moment that a carrier's request was begun: its attempt's last step before it. */
const beginnings = ({ history }: Evidence) => {
  const open = history.attempts.filter(({ op, outcome }) => op !== "DELETE" && outcome === null);
  const steps = groupBy(open, ({ messageId, provider }) => `${messageId} ${provider}`);
  return (messageId: string, { carrier, atMs }: Evidence["requests"][number]): number =>
    Math.max(...(steps.get(`${messageId} ${carrier}`) ?? []).map((step) => step.atMs).filter((ms) => ms <= atMs));
};

/** Whether a scheduled send was repeated until its time had passed. */
const isTooLate = ({ refusedFor, dueMs }: Aim["send"]) => dueMs !== null && refusedFor === "send_at_in_the_past";

type Look = {
  /** Messages by number: each aim has a number of its own. */
  messageTo: (to: string) => StoredMessage | undefined;
  requestsTo: (to: string) => readonly Evidence["requests"][number][];
  begunMs: ReturnType<typeof beginnings>;
  wasTried: (messageId: string) => boolean;
};

/** While the ban stands, no carrier is asked to send, except by attempts that were under way. */
function judgeRequests({ imposed, lifted }: Ban, { to }: Aim, { messageTo, requestsTo, begunMs }: Look): string[] {
  const message = messageTo(to);
  if (!message) return [];
  const untilMs = lifted?.askedMs ?? Number.POSITIVE_INFINITY;
  const latestMs = imposed.answeredMs + LOOKED_FOR_WITHIN_MS + SLACK_MS;
  return requestsTo(to).flatMap((request) => {
    const begun = begunMs(message.id, request);
    if (request.atMs <= imposed.answeredMs || request.atMs >= untilMs || begun <= latestMs) return [];
    const lateMs = Math.round(request.atMs - imposed.answeredMs);
    return [`${message.id} was given to ${request.carrier} ${lateMs} ms after its ban`];
  });
}

/** A message that waited until it was banned fails for that reason. It is refunded, as the books of money show. */
function judgeBefore({ what, lifted }: Ban, { to, send }: Aim, { messageTo, wasTried }: Look): string[] {
  const message = messageTo(to);
  if (!message || wasTried(message.id)) return [];
  const isBanned = message.status === "failed" && message.errorCode === REASONS[what] && message.costMicros === 0;
  if (lifted === null) return isBanned ? [] : [`${message.id} waited, was banned, and is ${described(message)}`];
  const isFree = lifted.isDone && send.dueMs !== null && send.dueMs > lifted.answeredMs;
  return isFree && isBanned ? [`${message.id} was due after its ban, and is ${described(message)}`] : [];
}

/** A send during the ban is refused, or accepted as failed. */
function judgeDuring({ what, imposed }: Ban, { to, url, send }: Aim, { messageTo }: Look): string[] {
  const message = messageTo(to);
  const isFailed = message?.status === "failed" && message.errorCode === REASONS[what] && message.costMicros === 0;
  if (message && !isFailed) return [`${message.id} was sent in spite of its ban, and is ${described(message)}`];
  if (isTooLate(send)) return [];
  if (send.refused && (what === "suppression" || send.refusedFor !== REASONS[what]))
    return [`a send to ${to} was refused for ${send.refusedFor}, not ${REASONS[what]}`];
  if (what === "account") return message ? [`${message.id} was accepted from a suspended account`] : [];
  // A deletion that was repeated may have been carried out by another process than the one that responded last.
  const isByItself = imposed.status === 200 && imposed.url === url && send.tries === 1;
  const mustRefuse = what === "sender" && (isByItself || send.atMs > imposed.answeredMs + APPROVED_FOR_MS);
  return mustRefuse && message ? [`${message.id} was accepted ${send.atMs - imposed.answeredMs} ms after its ban`] : [];
}

/** After the ban sends are accepted, and do not fail for its reason. */
function judgeAfter({ what, lifted }: Ban, { to, send }: Aim, { messageTo }: Look): string[] {
  if (!lifted?.isDone) return [];
  if (send.refused) return [`a send to ${to} was refused for ${send.refusedFor} after its ban`];
  const message = messageTo(to);
  return message?.errorCode === REASONS[what] ? [`${message.id} is ${described(message)}, after its ban`] : [];
}

const JUDGES = { before: judgeBefore, during: judgeDuring, after: judgeAfter } as const;

/** Descriptions of bans that were not kept, or that did not end. */
export function judgeBans(evidence: Evidence): string[] {
  const { bans, database, requests, history } = evidence;
  const messages = new Map(database.messages.map((message) => [message.to, message]));
  const asked = groupBy(requests, ({ to }) => to);
  const tried = new Set(
    history.attempts.flatMap(({ op, outcome, messageId }) =>
      op === "INSERT" && outcome !== "withdrawn" ? [messageId] : [],
    ),
  );
  const look: Look = {
    messageTo: (to) => messages.get(to),
    requestsTo: (to) => asked.get(to) ?? [],
    begunMs: beginnings(evidence),
    wasTried: (messageId) => tried.has(messageId),
  };
  return bans
    .filter(({ imposed }) => imposed.isDone)
    .flatMap((ban) =>
      ban.aims.flatMap((aim) => [...judgeRequests(ban, aim, look), ...JUDGES[aim.when](ban, aim, look)]),
    );
}
