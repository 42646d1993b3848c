/** One carrier and one account whose messages go there: the steps and checks of a carrier's test. */
import { expect } from "@playwright/test";
import type { CarrierName } from "../../../test/carriers/all";
import type { Carrier, TakenMessage } from "../../../test/carriers/carrier";
import { type Customer, newNumber, takenBy } from "../installation/customer";
import { type Installation, PRICE_MICROS } from "../installation/installation";
import type { CarrierFacts } from "./carrier-facts";

/** A text of three segments. */
export const LONG_TEXT = "Your parcel is on its way. ".repeat(15).trim();
/** The price of a segment. */
export const PRICE = PRICE_MICROS / 1_000_000;

/** One provider with an account whose messages go there first, and then to the sandbox. */
export type Cell = { name: CarrierName; carrier: Carrier; facts: CarrierFacts; customer: Customer; cell: Installation };

/** A case that is tested for every carrier. */
export type Step = (cell: Cell) => Promise<void>;

/** Sends a message that the carrier takes, and waits until that has been noted. */
export async function sendTaken({ name, carrier, customer }: Cell, text?: string, to = newNumber()) {
  const id = await customer.send(to, text);
  const taken = await takenBy(carrier, to);
  const message = await customer.reaches(id, "sent");
  expect(message, "taken by").toMatchObject({ provider: name, provider_message_id: taken.ids[0], attempts: 1 });
  return { id, to, taken, message };
}

/** Has the carrier send receipts, which the product must acknowledge. */
export async function report(
  { name, carrier, cell }: Cell,
  taken: TakenMessage,
  ...what: ["sent" | "delivered" | "failed" | "undelivered", part?: number]
): Promise<number> {
  const [status, part] = what;
  const answers = await carrier.report(taken, status, cell.receiptUrlOf(name), part === undefined ? {} : { part });
  expect(answers).toEqual(answers.map(() => (name === "smpp" ? 0 : 200)));
  return answers.length;
}

/** The types of the events of a message, oldest first. */
export const eventTypes = async ({ customer }: Cell, id: string) =>
  (await customer.events(id)).map((event) => event.type);

/** Waits until the provider's counters have this number of refused callbacks. */
export async function counts(
  { name, cell: { database } }: Cell,
  expected: Record<"forged" | "stale" | "replayed", number>,
) {
  const read = async () => {
    const [row] = await database.rows(
      `SELECT coalesce(sum(receipts_forged), 0)::int AS forged, coalesce(sum(receipts_stale), 0)::int AS stale,
         coalesce(sum(receipts_replayed), 0)::int AS replayed FROM provider_minutes WHERE provider = $1`,
      [name],
    );
    return row;
  };
  await expect.poll(read, { message: "refused callbacks" }).toEqual(expected);
}
