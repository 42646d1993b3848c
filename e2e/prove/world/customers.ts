/** The customers of the proof: accounts, numbers, routes and webhook endpoints. */
import type { Database } from "@/e2e/support/books";
import { SCOPES } from "@/server/api-keys/scopes";
import { hashKey, keyHint, newPlainKey } from "@/server/api-keys/secret";
import { newId } from "@/server/core/ids";
import type { ProvenCarrier } from "./carriers";
import { exchange } from "./exchange";
import { RECEIVERS } from "./receiver-names";
import type { Receivers } from "./receivers";

/** `pacedSender`: a sender ID with a throughput limit. */
export type Customer = {
  accountId: string;
  apiKey: string;
  sender: string;
  pacedSender: string;
  endpoints: { id: string; receiver: string }[];
};

/** A customer without endpoints, for one experiment. `senderRowId`: of its sender ID. */
export type Spare = Customer & { senderRowId: string };

/** Sender IDs of the customer with this index, which every carrier accepts. */
const senderOf = (at: number): string => `+1415555010${at}`;
const pacedSenderOf = (at: number): string => `+1415555011${at}`;
/** As the same of a spare customer. */
const spareSenderOf = (at: number): string => `+1415556${String(at).padStart(4, "0")}`;
const SPARES = 40;
/** Throughput limit of the paced sender ID, in segments per second. */
export const PACE = 2;
export const BALANCE_MICROS = 100_000_000_000;
const RATE_LIMIT = 6_000;
/** Prices of a segment, in micro-units: the first at the beginning; the operator then goes through the others. */
export const PRICES_MICROS = [10_000, 15_000] as const;

/** Chains by the digit after {@link NUMBER_PREFIX}: HTTP then SMPP, SMPP then HTTP, and each provider alone. */
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

/** Creates the routes: the number alone decides the route. */
export async function makeRoutes(database: Database): Promise<void> {
  for (const [digit, chain] of CHAINS.entries()) {
    await database.rows("INSERT INTO routes (prefix, chain, price_micros) VALUES ($1, $2, $3)", [
      `${NUMBER_PREFIX}${digit}`,
      chain,
      PRICES_MICROS[0],
    ]);
  }
}

/** Changes the price of all routes to the next one; if the database is unavailable, the price stays. */
export const reprice = (database: Database): Promise<unknown> => {
  const [one, other] = PRICES_MICROS;
  return database
    .rows("UPDATE routes SET price_micros = CASE price_micros WHEN $1 THEN $2 ELSE $1 END", [one, other])
    .catch(() => undefined);
};

/** Creates an account with money, a key and an approved sender, as an operator would. */
async function makeAccount(
  database: Database,
  [sender, pacedSender]: readonly [string, string],
  balanceMicros = BALANCE_MICROS,
): Promise<Omit<Spare, "endpoints">> {
  const [accountId, apiKey, senderRowId] = [newId("account"), newPlainKey(), newId("sender")];
  await database.rows("INSERT INTO accounts (id, email, name, balance_micros) VALUES ($1, $2, 'Customer', $3)", [
    ...[accountId, `${accountId}@example.com`, balanceMicros],
  ]);
  await database.rows(
    "INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros) VALUES ($1, 'credit', $2, 0)",
    [accountId, balanceMicros],
  );
  await database.rows(
    `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit, allowed_ips)
     VALUES ($1, $2, 'customer', $3, $4, $5, $6, '{}')`,
    [newId("apiKey"), accountId, hashKey(apiKey), keyHint(apiKey), [...SCOPES], RATE_LIMIT],
  );
  for (const [rowId, id, pace] of [
    [senderRowId, sender, null],
    [newId("sender"), pacedSender, PACE],
  ]) {
    await database.rows(
      `INSERT INTO senders (id, account_id, sender_id, type, status, approved_at, max_segments_per_second)
       VALUES ($1, $2, $3, 'numeric', 'approved', now(), $4)`,
      [rowId, accountId, id, pace],
    );
  }
  return { accountId, apiKey, sender, pacedSender, senderRowId };
}

/** Creates an endpoint for each receiver, through the API. */
export async function makeEndpoints(apiKey: string, own: readonly string[], { url, receivers }: Ground) {
  const endpoints: Customer["endpoints"] = [];
  for (const receiver of own) {
    const body = JSON.stringify({ url: receivers.urlOf(receiver), events: ["*", "message.received"] });
    const answer = await exchange({ method: "POST", url: `${url}/api/v1/webhooks/create`, apiKey, body });
    const data = answer.body?.data as { id?: string; signing_secret?: string } | undefined;
    if (!data?.id || !data.signing_secret) throw new Error(`No endpoint was made: ${JSON.stringify(answer)}`);
    receivers.addSecret(receiver, data.signing_secret);
    endpoints.push({ id: data.id, receiver });
  }
  return endpoints;
}

/** Creates a customer with one endpoint per receiver. */
export async function makeCustomer(
  at: number,
  ground: Ground,
  own: readonly string[] = RECEIVERS[at] ?? [],
  balanceMicros = BALANCE_MICROS,
): Promise<Customer> {
  const account = await makeAccount(ground.database, [senderOf(at), pacedSenderOf(at)], balanceMicros);
  return { ...account, endpoints: await makeEndpoints(account.apiKey, own, ground) };
}

/** `url`: of a web process. */
export type Ground = { url: string; database: Database; receivers: Receivers };

/** Creates all customers. */
export const makeCustomers = (ground: Ground): Promise<Customer[]> =>
  Promise.all(RECEIVERS.map((_, at) => makeCustomer(at, ground)));

/** Creates customers whose account or sender ID an experiment may use up. */
export const makeSpares = (database: Database): Promise<Spare[]> =>
  Promise.all(
    Array.from({ length: SPARES }, async (_, at) => ({
      ...(await makeAccount(database, [spareSenderOf(2 * at), spareSenderOf(2 * at + 1)])),
      endpoints: [],
    })),
  );
