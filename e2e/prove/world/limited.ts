/** Customers with little money, with spending caps, and with a test key; and the people who give them money and set their caps. */
import { newId, testAccountOf } from "@/server/core/ids";
import { call, type Person, signIn } from "./console";
import { BALANCE_MICROS, type Customer, type Ground, makeCustomer, makeEndpoints } from "./customers";
import { makePerson } from "./people";
import { LIMITED_FROM } from "./receiver-names";

export type Limited = {
  /** Sends more than the balance covers. */
  poor: Customer;
  /** Sends more than the spending caps allow. */
  capped: Customer;
  /** The test mode of the capped customer, which sends with a test key. */
  trial: Customer;
  operator: Person;
  /** Owns the capped customer's account. */
  owner: Person;
  /** Balances at the beginning, by account. */
  openingsMicros: Readonly<Record<string, number>>;
};

const POOR_MICROS = 50_000;
/** Caps of a UTC day at the beginning, in micro-units. */
export const FIRST_CAPS = { operator: 1_000_000, owner: 500_000 } as const;
/** The sender that test mode has from the beginning. */
const TRIAL_SENDER = "TEST";
const KEY_RATE_LIMIT = 6_000;

/** Creates an operator, in an account without money. */
async function makeOperator({ url, database }: Ground): Promise<Person> {
  const id = newId("account");
  await database.rows("INSERT INTO accounts (id, email, name) VALUES ($1, $2, 'Operator')", [id, `${id}@example.com`]);
  return signIn(url, ...(await makePerson(database, id, true)));
}

/** Has the owner make a test key, and adds an endpoint to the account's test mode. */
async function makeTrial(ground: Ground, owner: Person, { accountId, pacedSender }: Customer): Promise<Customer> {
  const input = { name: "Trial", rate_limit: KEY_RATE_LIMIT };
  const made = await call({ url: ground.url, person: owner, procedure: "apiKeys.create", input, isTestMode: true });
  const apiKey = (made.body?.data as { plain_key?: string } | undefined)?.plain_key;
  if (!apiKey?.startsWith("ds_test_")) throw new Error(`No test key was made: ${JSON.stringify(made)}`);
  const endpoints = await makeEndpoints(apiKey, ["trial-steady"], ground);
  return { accountId: testAccountOf(accountId), apiKey, sender: TRIAL_SENDER, pacedSender, endpoints };
}

/** Creates the customers with limits. */
export async function makeLimited(ground: Ground): Promise<Limited> {
  const { url, database } = ground;
  const poor = await makeCustomer(LIMITED_FROM, ground, ["poor-steady"], POOR_MICROS);
  const capped = await makeCustomer(LIMITED_FROM + 1, ground, ["capped-steady"]);
  await database.rows(
    "UPDATE accounts SET daily_spend_cap_micros = $2, own_daily_spend_cap_micros = $3 WHERE id = $1",
    [capped.accountId, FIRST_CAPS.operator, FIRST_CAPS.owner],
  );
  const operator = await makeOperator(ground);
  const owner = await signIn(url, ...(await makePerson(database, capped.accountId, false)));
  const trial = await makeTrial(ground, owner, capped);
  const openingsMicros = { [poor.accountId]: POOR_MICROS, [capped.accountId]: BALANCE_MICROS };
  return { poor, capped, trial, operator, owner, openingsMicros };
}
