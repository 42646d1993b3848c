/** The customers' changes of the time of scheduled messages, repeated until they have a response. */
import { between, type Chance } from "../faults/chance";
import { exchange } from "../world/exchange";
import { type Caller, note, type Send, untilAnswered } from "./sends";

/** A share of the scheduled messages that are not canceled. */
const RESCHEDULED_SHARE = 0.6;
/** The new time, from the change. Some are earlier than the time that they replace. */
const DUE_IN_MS = { least: 1_500, most: 8_000 };

/**
 * The delay before an accepted send gets another time: half of them just when it is due. Messages of a bulk keep their time, because
 * a send has one for all its messages.
 * @returns milliseconds from now; null: it keeps its time.
 */
export function rescheduleAfterMs({ dueMs, messages }: Send, chance: Chance): number | null {
  if (dueMs === null || messages?.length !== 1 || chance() >= RESCHEDULED_SHARE) return null;
  const left = Math.max(0, dueMs - Date.now());
  return chance() < 0.5 ? between(chance, 0, left) : Math.max(0, left + between(chance, -150, 50));
}

type RescheduleOrder = Caller & { send: Send; chance: Chance };

/**
 * Gives the only message of an accepted send another time. `dueMs` of the send is then the time before which it may not be sent, as far as
 * its caller knows: without a response with 200, or where a repetition was refused, the earlier of both.
 */
export async function reschedule({ customer, send, chance, urlAt, turn, answers }: RescheduleOrder): Promise<void> {
  const [message] = send.messages ?? [];
  const { dueMs } = send;
  if (!message || dueMs === null) return;
  const newMs = Date.now() + between(chance, DUE_IN_MS.least, DUE_IN_MS.most);
  const body = JSON.stringify({ send_at: new Date(newMs).toISOString() });
  const { status } = await untilAnswered(async (at) => {
    const url = `${urlAt(turn + at)}/api/v1/messages/${message.id}/reschedule`;
    const answer = await exchange({ method: "POST", url, apiKey: customer.apiKey, body });
    note(answers, "reschedule", answer);
    return answer;
  });
  send.dueMs = status === 200 ? newMs : Math.min(dueMs, newMs);
}
