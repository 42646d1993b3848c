/** Sends a text over binds, part after part, and tells what became of it as a whole. */
import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Deadline, startDeadline } from "../../core/deadline";
import type { OutboundMessage, SendOutcome } from "../port";
import { addressFields } from "./address";
import { type Binds, NOT_BOUND } from "./binds";
import { type LongText, partsOf } from "./parts";
import { type IdRadix, submittedId } from "./receipt";
import { outcomeOfStatus, STATUS_NOT_BOUND } from "./status";
import { type BackOff, backOffMs } from "./throttle";
import { STATUS_OK } from "./wire";

export type SenderOptions = {
  idRadix: IdRadix;
  longText: LongText;
  shortCodeTon: number;
  /** How long an answer to submit_sm is waited for, in milliseconds. */
  responseTimeoutMs: number;
};

/** Times that a submit is tried while the centre says that it is asked too much, or loses the bind before it is written. */
const TRIES_MAX = 4;
/** Pauses between the tries of a later part, beside those that the bind's pace makes. */
const PAUSES: BackOff = { minMs: 50, maxMs: 5_000 };
/** Longest time for which later parts are tried again: a hand-over that takes much longer would be given up. */
const LATER_PARTS_MAX_MS = 300_000;

/** How one try ended. `isWorthAnother`: nothing was taken, and soon it may be. */
type Try = { outcome: SendOutcome; isWorthAnother: boolean };

const UNANSWERED: Readonly<Record<"timeout" | "lost", SendOutcome>> = {
  timeout: { kind: "unknown", code: "timeout", detail: "The message centre did not answer submit_sm in time." },
  lost: {
    kind: "unknown",
    code: "connection_lost",
    detail: "The connection was lost with submit_sm unanswered.",
  },
};

const final = (outcome: SendOutcome): Try => ({ outcome, isWorthAnother: false });

/**
 * Makes what sends texts: one part after the other, so as long as the first has not been taken, nothing has been sent. A
 * later part can go nowhere else, so it is tried again for as long as answers to all parts might have taken, without a
 * place while it waits.
 */
export function createSender(binds: Binds, options: SenderOptions): (message: OutboundMessage) => Promise<SendOutcome> {
  let reference = randomInt(0x10000);

  async function tryOnce(fields: Record<string, unknown>, isLater: boolean): Promise<Try> {
    const place = await binds.reserve(isLater);
    if ("none" in place) return { outcome: place.none, isWorthAnother: isLater && place.none === NOT_BOUND };
    const answer = await place.session.submit(fields);
    if (answer.kind === "unsent") return { outcome: NOT_BOUND, isWorthAnother: true };
    if (answer.kind === "timeout" || answer.kind === "lost") return final(UNANSWERED[answer.kind]);
    if (answer.status === STATUS_OK) {
      const providerMessageIds = [submittedId(answer.messageId, options.idRadix)].filter(Boolean);
      return final({ kind: "accepted", providerMessageIds });
    }
    const outcome = outcomeOfStatus(answer.status);
    const isThrottled = outcome.kind === "retryable" && outcome.fault === "throttled";
    return { outcome, isWorthAnother: isThrottled || (isLater && answer.status === STATUS_NOT_BOUND) };
  }

  /** @param mayRetry whether there is time for more tries than the usual ones; null: it is the first part. */
  async function submit(fields: Record<string, unknown>, mayRetry: (() => boolean) | null): Promise<SendOutcome> {
    for (let tries = 1; ; tries++) {
      const { outcome, isWorthAnother } = await tryOnce(fields, mayRetry !== null);
      if (!isWorthAnother || (tries >= TRIES_MAX && !mayRetry?.())) return outcome;
      if (mayRetry) await sleep(backOffMs(tries, Math.random(), PAUSES));
    }
  }

  return async (message) => {
    reference = (reference + 1) & 0xffff;
    const parts = partsOf(message.body, options.longText, reference);
    const addresses = addressFields(message.from, message.to, options.shortCodeTon);
    const taken: string[] = [];
    let isLate = false;
    let deadline: Deadline | null = null;
    try {
      for (const [index, part] of parts.entries()) {
        const fields = { ...addresses, ...part, registered_delivery: 1 };
        const outcome = await submit(fields, index > 0 ? () => !isLate : null);
        if (outcome.kind === "accepted") taken.push(...outcome.providerMessageIds);
        else if (index === 0) return outcome;
        else if (outcome.kind === "unknown") return { ...outcome, taken };
        else {
          const detail = `Part ${index + 1} of ${parts.length} was not taken. ${outcome.detail}`;
          return { kind: "accepted", providerMessageIds: taken, lost: { code: outcome.code, detail } };
        }
        deadline ??= startDeadline(Math.min(parts.length * options.responseTimeoutMs, LATER_PARTS_MAX_MS), () => {
          isLate = true;
        });
      }
      return { kind: "accepted", providerMessageIds: taken };
    } finally {
      deadline?.clear();
    }
  };
}
