/** Customers rotate the signing secrets of their endpoints while events are on their way. */
import { type Chance, oneOf } from "../faults/chance";
import { exchange } from "../world/exchange";
import type { Receivers } from "../world/receivers";
import { type Caller, note, untilAnswered } from "./sends";

/** `number`: unique among all rotations. */
type RotateOrder = Caller & { receivers: Receivers; number: string; chance: Chance };

/** Rotates the secret of one endpoint, once, however often the request is repeated, and tells its receiver the new secret. */
export async function rotate({
  customer,
  receivers,
  number,
  chance,
  urlAt,
  turn,
  answers,
}: RotateOrder): Promise<void> {
  const { id, receiver } = oneOf(chance, customer.endpoints);
  const { apiKey } = customer;
  const { status, body } = await untilAnswered(async (at) => {
    const url = `${urlAt(turn + at)}/api/v1/webhooks/${id}/rotate-secret`;
    const answer = await exchange({ method: "POST", url, apiKey, body: "{}", idempotencyKey: `rotate-${number}` });
    note(answers, "rotate", answer);
    return answer;
  });
  const data = body?.data as { signing_secret?: string } | undefined;
  if (status === 200 && data?.signing_secret) receivers.addSecret(receiver, data.signing_secret);
}
