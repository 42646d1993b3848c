/** Customers rotate the signing secrets of their endpoints while events are on their way. */
import { type Chance, oneOf } from "../faults/chance";
import type { Customer } from "./customers";
import { exchange } from "./exchange";
import type { Receivers } from "./receivers";
import { note, type Tally, untilAnswered } from "./sends";

type RotateOrder = {
  customer: Customer;
  receivers: Receivers;
  /** Unique among all rotations. */
  number: string;
  chance: Chance;
  urlAt: (turn: number) => string;
  turn: number;
  answers: Tally;
};

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
