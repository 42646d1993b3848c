/** Sends whose caller loses the right to send while they wait to be accepted. */
import pg from "pg";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { untilWaiting } from "@/test/database/lock-waits";
import { makePerson } from "@/test/database/people";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { lockAdmission } from "../../accounts/store";
import { checkLedger } from "../../accounts/tasks";
import { revokeApiKey } from "../../api-keys/revoke";
import { revokeSessionsOf } from "../../auth/sessions/sessions";
import type { AccountActor, SessionActor } from "../../core/actor";
import { pool } from "../../core/db";
import { sendBulk, sendMessage } from "./send";

/** From this many on, messages are inserted before the admission lock is taken. */
const LARGE = 250;

beforeAll(async () => {
  await makeRoute();
});

const request = (key?: string) => ({
  idempotency: () => (key === undefined ? null : { key, requestHash: key }),
  responseHeaders: {} as Record<string, string>,
});

type Caller = { account: TestAccount; actor: AccountActor };
type Send = (caller: Caller, key?: string) => Promise<unknown>;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `+1415555${1_000 + at}`);
const bulkOf =
  (count: number): Send =>
  ({ account, actor }, key) =>
    sendBulk(actor, { recipients: numbers(count), from: account.senderId, body: "Hello" }, request(key));
const one: Send = ({ account, actor }, key) =>
  sendMessage(actor, { to: "+14155550123", from: account.senderId, body: "Hello" }, request(key));

const SENDS: [string, Send][] = [
  ["a message", one],
  ["a bulk", bulkOf(3)],
  ["a large bulk", bulkOf(LARGE)],
];

const byKey = async (): Promise<Caller> => {
  const account = await makeAccount();
  return { account, actor: account.actor };
};

/** A developer of the account, as the console's calls name them. */
const byPerson = async (): Promise<Caller & { actor: SessionActor }> => {
  const [account, person] = [await makeAccount(), await makePerson()];
  await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'developer')", [
    account.accountId,
    person.userId,
  ]);
  return { account, actor: { ...person, accountId: account.accountId, role: "developer", needs: "developer" } };
};

const holders: pg.Client[] = [];
afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.end();
});

/** Lets `send` wait for the admission lock, and changes something before it is free. */
async function whileItWaits<Result>(
  { account }: Caller,
  send: () => Promise<Result>,
  change: (db: pg.Client) => Promise<unknown>,
): Promise<Result> {
  const holder = new pg.Client({ connectionString: process.env.DATABASE_URL });
  holders.push(holder);
  await holder.connect();
  await holder.query("BEGIN");
  await lockAdmission(holder, [account.accountId]);
  const sending = send();
  sending.catch(() => undefined);
  await untilWaiting("pg_advisory_xact_lock(");
  await change(holder);
  await holder.query("COMMIT");
  return sending;
}

const stored = async ({ account }: Caller) => {
  const { rows } = await pool().query(
    `SELECT (SELECT count(*)::int FROM messages WHERE account_id = $1) AS messages,
       (SELECT count(*)::int FROM ledger_entries WHERE account_id = $1 AND kind = 'reserve') AS reserves,
       (SELECT count(*)::int FROM idempotency_keys WHERE account_id = $1) AS responses`,
    [account.accountId],
  );
  return rows[0];
};
const NOTHING = { messages: 0, reserves: 0, responses: 0 };

const update = (text: string, value: (caller: Caller) => unknown) => (db: pg.Client, caller: Caller) =>
  db.query(text, [value(caller)]);
const keyOf = ({ account }: Caller) => account.keyId;
const userOf = ({ actor }: Caller) => (actor.kind === "session" ? actor.userId : null);

const LOSSES = [
  [
    "a key is revoked",
    byKey,
    update("UPDATE api_keys SET revoked_at = now() WHERE id = $1", keyOf),
    401,
    "key_invalid",
  ],
  ["a key expires", byKey, update("UPDATE api_keys SET expires_at = now() WHERE id = $1", keyOf), 401, "key_expired"],
  [
    "a session is ended",
    byPerson,
    (db: pg.Client, caller: Caller) => revokeSessionsOf(db, String(userOf(caller))),
    401,
    "no_session",
  ],
  [
    "a member is removed",
    byPerson,
    update("DELETE FROM account_members WHERE user_id = $1 AND role = 'developer'", userOf),
    401,
    "no_session",
  ],
  [
    "a role is lowered",
    byPerson,
    update("UPDATE account_members SET role = 'viewer' WHERE user_id = $1 AND role = 'developer'", userOf),
    403,
    "role_too_low",
  ],
  [
    "an account is suspended",
    byKey,
    update("UPDATE accounts SET status = 'suspended' WHERE id = $1", ({ account }) => account.accountId),
    403,
    "account_not_active",
  ],
] as const;

describe.each(LOSSES)("while %s", (_, makeCaller, lose, status, reason) => {
  test.each(SENDS)("%s that waits is refused, and nothing of it is stored", async (_, send) => {
    const caller = await makeCaller();
    const sending = whileItWaits(
      caller,
      () => send(caller),
      (db) => lose(db, caller),
    );
    await expect(sending).rejects.toMatchObject({ status, wire: { details: { reason } } });
    expect(await stored(caller)).toEqual(NOTHING);
  });
});

test("a send that waits is carried out when nothing has ended", async () => {
  for (const makeCaller of [byKey, byPerson]) {
    const caller = await makeCaller();
    await whileItWaits(
      caller,
      () => one(caller),
      async () => undefined,
    );
    expect(await stored(caller)).toMatchObject({ messages: 1, reserves: 1 });
  }
});

test("of a batch only the sends of the ended key are refused", async () => {
  const [revoked, other] = [await byKey(), await byKey()];
  const sends = () => Promise.allSettled([one(revoked), one(other), one(revoked), bulkOf(3)(other)]);
  const results = await whileItWaits(revoked, sends, (db) =>
    db.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [revoked.account.keyId]),
  );
  expect(results.map((result) => result.status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
  expect(await stored(revoked)).toEqual(NOTHING);
  expect(await stored(other)).toMatchObject({ messages: 4 });
  expect((await checkLedger()).drifted).toEqual([]);
});

test("a repeated request gets the first response for as long as its key works, and then a 401, as before the queue", async () => {
  const caller = await byKey();
  const first = await one(caller, "k");
  expect(await one(caller, "k")).toEqual(first);
  const repeated = whileItWaits(
    caller,
    () => one(caller, "k"),
    (db) => db.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [caller.account.keyId]),
  );
  await expect(repeated).rejects.toMatchObject({ status: 401, wire: { details: { reason: "key_invalid" } } });
  expect(await stored(caller)).toMatchObject({ messages: 1, responses: 1 });
});

test("once a key is revoked, no send that was under way is accepted any more", async () => {
  const caller = await byKey();
  const { accountId, keyId } = caller.account;
  const owner: AccountActor = { kind: "session", accountId, userId: "owner", isOperator: false };
  const sends: Promise<"accepted" | "refused">[] = [];
  const sendSome = () => {
    for (let count = 0; count < 20; count += 1) {
      sends.push(
        one(caller).then(
          () => "accepted",
          () => "refused",
        ),
      );
    }
  };
  sendSome();
  const revoking = revokeApiKey(owner, { id: keyId, cascade: false });
  sendSome();
  await revoking;
  const { messages } = await stored(caller);
  sendSome();
  const accepted = (await Promise.all(sends)).filter((end) => end === "accepted");
  expect(accepted).toHaveLength(messages);
  expect(await stored(caller)).toMatchObject({ messages });
});
