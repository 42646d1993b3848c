/** The customers' cancellations of messages, repeated until they have a response. */
import { between, type Chance } from "../faults/chance";
import { exchange } from "../world/exchange";
import { type Caller, note, type Send, untilAnswered } from "./sends";

/** A cancellation as its caller knows it. */
export type Cancellation = {
  id: string;
  to: string;
  /** canceled: a 200. refused: a 400, since a provider has the message, or may. null: no response said so. */
  result: "canceled" | "refused" | null;
  /** When the last response arrived. */
  knownAtMs: number;
};

/** A share of the scheduled messages is left to be sent. */
const CANCELED_SHARE = 0.6;
/** Cancellations may come this long after the message was due. */
const LATE_MS = 1_000;

/**
 * The delay before a send that was just accepted is canceled: none for a hasty one; a scheduled one is canceled around its due time.
 * @returns milliseconds from now; null: never.
 */
export function cancelAfterMs({ dueMs }: Send, isHasty: boolean, chance: Chance): number | null {
  if (isHasty) return between(chance, 0, 20);
  if (dueMs === null || chance() >= CANCELED_SHARE) return null;
  const left = Math.max(0, dueMs - Date.now());
  // Half of them come just when the message is due.
  return chance() < 0.5 ? between(chance, 0, left) : Math.max(0, left + between(chance, -100, LATE_MS));
}

type CancelOrder = Caller & { send: Send };

/** Cancels the message of an accepted send. @returns the cancellation as its caller knows it. */
export async function cancel({ customer, send, urlAt, turn, answers }: CancelOrder): Promise<Cancellation[]> {
  const [message] = send.messages ?? [];
  if (!message) return [];
  const { status } = await untilAnswered(async (at) => {
    const url = `${urlAt(turn + at)}/api/v1/messages/${message.id}/cancel`;
    const answer = await exchange({ method: "POST", url, apiKey: customer.apiKey, body: "{}" });
    note(answers, "cancel", answer);
    return answer;
  });
  const result = status === 200 ? "canceled" : status === 400 ? "refused" : null;
  const { id, to } = message;
  return [{ id, to, result, knownAtMs: Date.now() }];
}
