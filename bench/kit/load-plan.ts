/** The sends of a load client: a customer's, with the same short text. */
import type { LoadPlan } from "./load";
import type { Customer } from "./service";

/** The text of every message: one part in GSM-7. */
export const TEXT = "Your code is 482913. It expires in ten minutes.";

/** A customer's API keys, in plain text. */
export const keysOf = ({ keys }: Customer): string[] => keys.map(({ plain }) => plain);

/** Sends by all keys of a customer, as fast as the responses come, until the client is stopped. */
export const planOf = (customer: Customer, port: number, connections: number): LoadPlan => ({
  port,
  keys: keysOf(customer),
  sender: customer.sender,
  text: TEXT,
  connections,
  seconds: null,
  limit: null,
  rate: null,
});
