/** Sends a text over binds, part after part, and returns one outcome for the whole. */
import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "../../core/clock";
import { type Deadline, hasStoodStill, stalledMs, startDeadline } from "../../core/deadline";
import type { NotAccepted } from "../http/response";
import type { SendOutcome, SendPermission, SendRequest } from "../port";
import { smppPeriod } from "../validity";
import { addressFields } from "./address";
import { type Binds, CLOSING, NO_TURN, NOT_BOUND, type Wait } from "./binds";
import { type LongText, partsOf } from "./parts";
import { type IdRadix, submittedId } from "./receipt";
import { type Permission, SOON_MS } from "./session";
import { outcomeOfStatus, STATUS_NOT_BOUND } from "./status";
import type { Alphabet } from "./text";
import { type BackOff, backOffMs } from "./throttle";
import { STATUS_OK } from "./wire";

export type SubmitterOptions = {
  idRadix: IdRadix;
  longText: LongText;
  alphabet: Alphabet;
  serviceType: string;
  shortCodeTon: number;
  /** Timeout of submit_sm in milliseconds. */
  responseTimeoutMs: number;
};

/** Tries of a submit while the centre throttles us, or loses the bind before the submit is written. */
const TRIES_MAX = 4;
/**
 * A submit that the centre throttled gets its next turn within this time: longer than one that begins, so that it is tried again before
 * others begin, and short enough that of many that were throttled together most are left to the throttle queue.
 */
const AGAIN_WITHIN_MS = 3 * SECOND_MS;
/** Pauses between the tries of a later part, in addition to the waits of the bind's throttle. */
const PAUSES: BackOff = { minMs: 50, maxMs: 5_000 };
/** Longest time for retries of later parts: an attempt that takes much longer would be failed. */
const LATER_PARTS_MAX_MS = 300_000;

/** Outcome of one try. `isRetryable`: nothing was taken, and the same part may be taken soon. */
type Try = { outcome: SendOutcome; isRetryable: boolean };

const WITHOUT_RESPONSE: Readonly<Record<"timeout" | "lost", SendOutcome>> = {
  timeout: { kind: "unknown", code: "timeout", detail: "The message centre did not respond to submit_sm in time." },
  lost: {
    kind: "unknown",
    code: "connection_lost",
    detail: "The connection was lost before the response to submit_sm.",
  },
};

const final = (outcome: SendOutcome): Try => ({ outcome, isRetryable: false });

/** Whether a missing bind may soon be made. */
const mayBeBoundSoon = (none: NotAccepted): boolean =>
  none !== CLOSING && none.kind === "retryable" && none.fault !== "account";

type Submitter = { binds: Binds; options: SubmitterOptions };
/** The fields of a part. `onLate`: called with its id when the centre takes it after the timeout. */
type Part = { fields: Record<string, unknown>; onLate?: (id: string) => void };

/** `without`: the outcome of a part that was not written because it lacked permission. */
type PartPermission = Permission & { without: NotAccepted };

/** Later parts go out whatever has happened, because part of the message was sent. */
const ALWAYS: PartPermission = { holds: () => true, renew: async () => true, without: NOT_BOUND };

/**
 * The permission to write a first part. A process that has stalled for long sends nothing unless it has asked again, because others may
 * have given the message to another provider.
 */
function permissionOf(given: SendPermission | undefined): PartPermission {
  let markMs = stalledMs();
  const hasNotStalled = () => !hasStoodStill(markMs);
  if (!given) return { holds: hasNotStalled, renew: async () => false, without: NOT_BOUND };
  let untilMs: number | null = given.untilMs;
  return {
    without: NO_TURN,
    holds: () => hasNotStalled() && untilMs !== null && performance.now() < untilMs,
    renew: async () => {
      untilMs = await given.renew();
      markMs = stalledMs();
      return untilMs !== null;
    },
  };
}

async function tryOnce(
  { binds, options }: Submitter,
  { fields, onLate }: Part,
  permission: PartPermission,
  wait: Wait,
): Promise<Try> {
  const isLater = wait.isBegun;
  const reserved = await binds.reserve(wait);
  if ("none" in reserved) return { outcome: reserved.none, isRetryable: isLater && mayBeBoundSoon(reserved.none) };
  const result = await reserved.turn.submit(fields, permission, ({ status, messageId }) => {
    if (status === STATUS_OK) onLate?.(submittedId(messageId, options.idRadix));
  });
  if (result.kind === "unsent") {
    return permission.holds() ? { outcome: NOT_BOUND, isRetryable: true } : final(permission.without);
  }
  if (result.kind === "timeout" || result.kind === "lost") return final(WITHOUT_RESPONSE[result.kind]);
  if (result.status === STATUS_OK) {
    const providerMessageIds = [submittedId(result.messageId, options.idRadix)].filter(Boolean);
    return final({ kind: "accepted", providerMessageIds });
  }
  const outcome = outcomeOfStatus(result.status);
  const isThrottled = outcome.kind === "retryable" && outcome.fault === "throttled";
  return { outcome, isRetryable: isThrottled || (isLater && result.status === STATUS_NOT_BOUND) };
}

/**
 * Sends the first part. Nothing of the message has been sent yet, so after a few tries another provider may send it.
 * @param given by the caller, which then sends the message another time if it would have to wait.
 */
async function sendFirst(submitter: Submitter, part: Part, given: SendPermission | undefined): Promise<SendOutcome> {
  const permission = permissionOf(given);
  for (let tries = 1; ; tries += 1) {
    const withinMs = tries === 1 ? SOON_MS : AGAIN_WITHIN_MS;
    const wait = { isBegun: false, withinMs: given ? withinMs : null };
    const { outcome, isRetryable } = await tryOnce(submitter, part, permission, wait);
    if (!isRetryable || tries >= TRIES_MAX) return outcome;
  }
}

/**
 * Sends a later part. No other provider can send it, so it is retried until the deadline. It reserves nothing during pauses.
 * @param isLate whether the deadline has passed.
 */
async function sendLater(submitter: Submitter, part: Part, isLate: () => boolean): Promise<SendOutcome> {
  for (let tries = 1; ; tries += 1) {
    const { outcome, isRetryable } = await tryOnce(submitter, part, ALWAYS, { isBegun: true, withinMs: null });
    if (!isRetryable || (tries >= TRIES_MAX && isLate())) return outcome;
    await sleep(backOffMs(tries, Math.random(), PAUSES));
  }
}

/** The deadline of the later parts: the time that responses to all parts may take. */
function startLaterParts(parts: number, responseTimeoutMs: number): Deadline & { isLate: () => boolean } {
  let isLate = false;
  const deadline = startDeadline(Math.min(parts * responseTimeoutMs, LATER_PARTS_MAX_MS), () => {
    isLate = true;
  });
  return { clear: deadline.clear, isLate: () => isLate };
}

/** Outcome of a message whose first parts were taken and the next one was not. */
function outcomeOfRest(failed: Exclude<SendOutcome, { kind: "accepted" }>, taken: string[], part: string): SendOutcome {
  if (failed.kind === "unknown") return { ...failed, taken };
  const detail = `Part ${part} was not taken. ${failed.detail}`;
  return { kind: "accepted", providerMessageIds: taken, lost: { code: failed.code, detail } };
}

/**
 * The ids of the parts that the centre took. A part without one gets our own, `<reference>-<place>`: otherwise a single id would count
 * as the whole text's, and one part's receipt would settle it. Without any id no receipt can be matched.
 */
function idsOf(taken: readonly string[], reference: string): string[] {
  const own = taken.flatMap((id, at) => (id === "" ? [`${reference}-${at + 1}`] : []));
  return own.length === taken.length ? [] : [...taken.filter(Boolean), ...own];
}

/** Sends the parts in order. Until the first one is taken, nothing has been sent. `reference`: ours of the attempt. */
async function sendParts(
  submitter: Submitter,
  [first, ...rest]: Part[],
  { reference, permission }: Pick<SendRequest, "reference" | "permission">,
): Promise<SendOutcome> {
  if (!first) throw new Error("The text has no parts.");
  const outcome = await sendFirst(submitter, first, permission);
  if (outcome.kind !== "accepted" || rest.length === 0) return outcome;
  const taken = [outcome.providerMessageIds[0] ?? ""];
  const count = rest.length + 1;
  const deadline = startLaterParts(count, submitter.options.responseTimeoutMs);
  try {
    for (const [index, part] of rest.entries()) {
      const later = await sendLater(submitter, part, deadline.isLate);
      if (later.kind !== "accepted") return outcomeOfRest(later, idsOf(taken, reference), `${index + 2} of ${count}`);
      taken.push(later.providerMessageIds[0] ?? "");
    }
    return { kind: "accepted", providerMessageIds: idsOf(taken, reference) };
  } finally {
    deadline.clear();
  }
}

/** Called when a text turns out, after a timeout, to have been taken completely: with the id of its last part. */
export type OnTakenLate = (sendRequest: SendRequest, id: string, isInParts: boolean) => void;

/**
 * Makes a function that sends texts over `binds`. It never rejects for a failure of the centre.
 * @param onTakenLate called when the centre takes the last, or only, part of a text after the timeout.
 */
export function createSubmitter(
  binds: Binds,
  options: SubmitterOptions,
  onTakenLate: OnTakenLate,
): (sendRequest: SendRequest) => Promise<SendOutcome> {
  // Each worker begins elsewhere. Handsets join parts by sender and reference, of which a header has only 256; one with more would
  // leave less room for text, and change what is billed.
  let reference = randomInt(0x10000);
  return (sendRequest) => {
    const { message, validity } = sendRequest;
    const addresses = addressFields(message.from, message.to, options.shortCodeTon);
    const parts = partsOf(message.body, options.longText, reference, options.alphabet);
    if (parts.length > 1) reference = (reference + 1) & 0xffff;
    return sendParts(
      { binds, options },
      parts.map((part, at) => ({
        fields: {
          registered_delivery: 1,
          ...(options.serviceType && { service_type: options.serviceType }),
          ...(validity && { validity_period: smppPeriod(validity) }),
          ...addresses,
          ...part,
        },
        ...(at === parts.length - 1 && { onLate: (id) => onTakenLate(sendRequest, id, parts.length > 1) }),
      })),
      sendRequest,
    );
  };
}
