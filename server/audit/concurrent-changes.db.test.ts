/** Entries of changes that wait for another change: their former values are what that change has left. */
import { expect, test } from "vitest";
import { callAs } from "@/test/call-procedure";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { addMember, lastEntries, makeEndpoint, makePerson, type Person } from "@/test/database/people";
import { makeRoute } from "@/test/database/routes";
import { pool } from "../core/db";
import { newId } from "../core/ids";

const idOf = (made: unknown): string => (made as { id: string }).id;

type Case = {
  /** Makes what is changed. @returns its id. */
  make: (owner: Person) => Promise<string | number>;
  /** Another change of it, $1. */
  other: string;
  change: (owner: Person, id: string | number) => object;
  before: Record<string, unknown>;
  isOperators?: true;
};

const newKey = async (owner: Person) => idOf(await callAs(owner, "apiKeys.create", { name: "Key" }));
const newSender = async (owner: Person) => idOf(await callAs(owner, "senders.create", { sender_id: "Acme" }));
const providerRow = async () => {
  await pool().query("INSERT INTO providers (id) VALUES ('twilio') ON CONFLICT (id) DO NOTHING");
  return "twilio";
};

/** By the mutation. */
const CASES: Readonly<Record<string, Case>> = {
  "webhooks.update": {
    make: makeEndpoint,
    other: "UPDATE webhook_endpoints SET description = 'other' WHERE id = $1",
    change: (_, id) => ({ id, description: "mine" }),
    before: { description: "other" },
  },
  "webhooks.delete": {
    make: makeEndpoint,
    other: "UPDATE webhook_endpoints SET description = 'other' WHERE id = $1",
    change: (_, id) => ({ id }),
    before: { description: "other" },
  },
  "apiKeys.update": {
    make: newKey,
    other: "UPDATE api_keys SET daily_limit = 7 WHERE id = $1",
    change: (_, id) => ({ id, daily_limit: 9 }),
    before: { daily_limit: 7 },
  },
  "apiKeys.rotate": {
    make: newKey,
    other: "UPDATE api_keys SET expires_at = '2099-01-01T00:00:00Z' WHERE id = $1",
    change: (_, id) => ({ id }),
    before: { expires_at: "2099-01-01T00:00:00.000Z" },
  },
  "senders.update": {
    make: newSender,
    other: "UPDATE senders SET dlt_entity_id = '1201159178492032505' WHERE id = $1",
    change: (_, id) => ({ id, dlt_entity_id: "1201159178492032504" }),
    before: { dlt_entity_id: "1201159178492032505" },
  },
  "accounts.updateProfile": {
    make: async ({ accountId }) => accountId,
    other: "UPDATE accounts SET company_name = 'Other' WHERE id = $1",
    change: () => ({ company_name: "Mine" }),
    before: { company_name: "Other" },
  },
  "alerts.update": {
    make: async ({ accountId }) => {
      await pool().query("INSERT INTO alert_settings (account_id) VALUES ($1)", [accountId]);
      return accountId;
    },
    other: "UPDATE alert_settings SET low_balance_micros = 3000000 WHERE account_id = $1",
    change: () => ({ low_balance: 5, by_mail: false, url: null }),
    before: { low_balance: 3 },
  },
  "auth.rename": {
    make: async ({ userId }) => userId,
    other: "UPDATE users SET name = 'Other' WHERE id = $1",
    change: () => ({ name: "Mine" }),
    before: { name: "Other" },
  },
  "members.changeRole": {
    make: addMember,
    other: "UPDATE account_members SET role = 'developer' WHERE user_id = $1",
    change: (_, id) => ({ id, role: "owner" }),
    before: { role: "developer" },
  },
  "operator.routes.update": {
    make: () => makeRoute({ prefix: "45" }),
    other: "UPDATE routes SET price_micros = 30000 WHERE id = $1",
    change: (_, id) => ({ id, price: 0.5 }),
    before: { price: 0.03 },
    isOperators: true,
  },
  "operator.throttleSender": {
    make: newSender,
    other: "UPDATE senders SET max_segments_per_second = 3 WHERE id = $1",
    change: (_, id) => ({ id, max_segments_per_second: 5 }),
    before: { max_segments_per_second: 3 },
    isOperators: true,
  },
  "operator.limitAccount": {
    make: async ({ accountId }) => accountId,
    other: "UPDATE accounts SET flood_total = 3 WHERE id = $1",
    change: (_, id) => ({
      account_id: id,
      allowed_countries: [],
      flood_identical: null,
      flood_total: 5,
      daily_spend_cap: null,
    }),
    before: { flood_total: 3 },
    isOperators: true,
  },
  "operator.providers.throttle": {
    make: providerRow,
    other: "UPDATE providers SET max_segments_per_second = 3 WHERE id = $1",
    change: (_, id) => ({ id, max_segments_per_second: 5 }),
    before: { max_segments_per_second: 3 },
    isOperators: true,
  },
};

test.each(Object.entries(CASES))("%s", async (path, { make, other, change, before, isOperators }) => {
  const owner = await makePerson();
  const actor = isOperators ? await makePerson(true) : owner;
  const id = await make(owner);
  const since = newId("audit");
  const { commit } = await openTransaction((tx) => tx.query(other, [id]));
  const changed = callAs(actor, path, change(owner, id));
  await untilWaiting();
  await commit();
  await changed;
  expect((await lastEntries(since)).at(-1)?.before).toMatchObject(before);
});
