/** The customers of the proof: their accounts, their numbers and routes, and their webhook endpoints. */
import type { OwnAccount } from "@/e2e/support/accounts";
import type { Database } from "@/e2e/support/books";
import { runCommand } from "@/e2e/support/processes";
import type { ProvenCarrier } from "./carriers";
import { exchange } from "./exchange";
import type { Receivers } from "./receivers";

export type Customer = { accountId: string; apiKey: string; sender: string; receivers: string[] };

/** A sender that every carrier takes. */
const SENDER = "+14155550100";
const BALANCE = 100_000;
export const BALANCE_MICROS = BALANCE * 1_000_000;
/** Price of a segment, in micro-units. */
export const PRICE_MICROS = 10_000;

/** Chains by the digit behind {@link NUMBER_PREFIX}: over HTTP to SMPP, the other way, and of one provider each. */
export const CHAINS: readonly (readonly ProvenCarrier[])[] = [
  ["twilio", "smpp"],
  ["smpp", "twilio"],
  ["vonage", "smpp", "twilio"],
  ["smpp", "vonage"],
  ["twilio"],
  ["smpp"],
  ["vonage"],
  ["twilio", "vonage"],
];
export const NUMBER_PREFIX = "49151";

/** Receivers by customer. The first of each customer never does anything wrong; nothing of theirs may be disabled. */
export const RECEIVERS: readonly (readonly string[])[] = [
  ["a-steady"],
  ["b-steady", "b-flaky"],
  ["c-steady", "c-weak"],
  ["d-weak"],
];
/** Those that faults may fall on. */
export const WEAK_RECEIVERS = ["c-weak", "d-weak"] as const;

export const receiverNames = (): string[] => RECEIVERS.flat();

/** Makes the routes: the number alone says which is taken. */
export async function makeRoutes(database: Database): Promise<void> {
  for (const [digit, chain] of CHAINS.entries()) {
    await database.rows("INSERT INTO routes (prefix, chain, price_micros) VALUES ($1, $2, $3)", [
      `${NUMBER_PREFIX}${digit}`,
      chain,
      PRICE_MICROS,
    ]);
  }
}

/** Makes a customer with one endpoint for each of its receivers, through the API. */
async function makeCustomer(at: number, url: string, databaseUrl: string, receivers: Receivers): Promise<Customer> {
  const own = RECEIVERS[at] ?? [];
  const flags = ["--email", `customer-${at}@example.com`, "--balance", String(BALANCE), "--sender", SENDER, "--json"];
  const made = JSON.parse(await runCommand("admin.mjs", databaseUrl, "account", "create", ...flags)) as OwnAccount;
  for (const receiver of own) {
    const body = JSON.stringify({ url: receivers.urlOf(receiver) });
    const answer = await exchange({
      ...{ method: "POST", url: `${url}/api/v1/webhooks/create`, apiKey: made.apiKey, body },
    });
    const data = answer.body?.data as { signing_secret?: string } | undefined;
    if (!data?.signing_secret) throw new Error(`No endpoint was made: ${JSON.stringify(answer)}`);
    receivers.setSecret(receiver, data.signing_secret);
  }
  return { accountId: made.accountId, apiKey: made.apiKey, sender: SENDER, receivers: [...own] };
}

/** Makes all customers. @param url of a web process. */
export function makeCustomers(url: string, databaseUrl: string, receivers: Receivers): Promise<Customer[]> {
  return Promise.all(RECEIVERS.map((_, at) => makeCustomer(at, url, databaseUrl, receivers)));
}
