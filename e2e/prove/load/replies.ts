/** People reply STOP to a customer, and some of them START afterwards; this records what their carriers know. */
import { type Chance, oneOf } from "../faults/chance";
import { CARRIERS, type ProvenCarrier } from "../world/carriers";
import type { Customer } from "../world/customers";
import type { World } from "../world/world";

/** The texts that a person sent to a customer, one after the other. */
export type Reply = {
  accountId: string;
  carrier: ProvenCarrier;
  from: string;
  to: string;
  texts: readonly string[];
  /** All texts were acknowledged, and the customer sends to this person afterwards. */
  isTaken: boolean;
};

export type PassOn = World["passOn"];

const CONVERSATIONS: readonly (readonly string[])[] = [["STOP"], ["STOP", "START"], ["Is the table free?"]];

type Conversation = { customer: Customer; from: string; chance: Chance; web: number; passOn: PassOn };

/** A person who never got a message replies to a customer. */
export async function replyByChance({ customer, from, chance, web, passOn }: Conversation): Promise<Reply> {
  const [carrier, texts] = [oneOf(chance, CARRIERS), oneOf(chance, CONVERSATIONS)];
  const { accountId, sender: to } = customer;
  for (const text of texts) {
    if (!(await passOn(carrier, { from, to, text }, web)))
      return { accountId, carrier, from, to, texts, isTaken: false };
  }
  return { accountId, carrier, from, to, texts, isTaken: true };
}
