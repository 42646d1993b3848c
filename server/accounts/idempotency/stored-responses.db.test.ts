import { expect, test } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { pool, transaction } from "../../core/db";
import { env } from "../../core/env";
import { seal } from "../../core/seal";
import { deleteExpiredResponses, readResponses, storeResponses } from "./stored-responses";

/** More than one step deletes. */
const MANY = 25_000;

const requestOf = (accountId: string, key: string) => ({ accountId, idempotency: { key, requestHash: "hash" } });

test("responses of sends, which are JSON, and of other operations, which are sealed, are read alike", async () => {
  const { accountId } = await makeAccount();
  const [open, sealed, none] = [
    requestOf(accountId, "open"),
    requestOf(accountId, "sealed"),
    requestOf(accountId, "x"),
  ];
  await transaction((tx) =>
    storeResponses(tx, [
      { ...open, response: { id: "msg_1" }, isSealed: false },
      { ...sealed, response: { id: "key_1" }, isSealed: true },
    ]),
  );
  const responses = await readResponses(pool(), [open, sealed, none, { accountId, idempotency: null }]);
  expect(responses.find(open)).toEqual({ response: { id: "msg_1" } });
  expect(responses.find(sealed)).toEqual({ response: { id: "key_1" } });
  expect(responses.find(none)).toBeNull();
  expect(responses.find({ accountId, idempotency: null })).toBeNull();
});

test("a response whose secret key was given up is refused with its reason, and open ones are read on", async () => {
  const { accountId } = await makeAccount();
  const [open, sealed] = [requestOf(accountId, "open"), requestOf(accountId, "sealed")];
  await transaction((tx) => storeResponses(tx, [{ ...open, response: { id: "msg_1" }, isSealed: false }]));
  await pool().query(
    `INSERT INTO idempotency_keys (account_id, key, request_hash, response, created_at) VALUES ($1, 'sealed', 'hash', $2, now())`,
    [accountId, seal("a former key of this installation", "idempotent answer", '{"id":"key_1"}')],
  );
  const responses = await readResponses(pool(), [open, sealed]);
  const details = { reason: "idempotency_response_lost" };
  const refusal = { status: 400, wire: expect.objectContaining({ param: "Idempotency-Key", details }) };
  expect(() => responses.find(sealed)).toThrow(expect.objectContaining(refusal));
  expect(responses.find(open)).toEqual({ response: { id: "msg_1" } });
});

test("responses that the version before stored are replayed, and it can read those of this one", async () => {
  const { accountId } = await makeAccount();
  const json = '{"id":"key_2"}';
  await pool().query(
    `INSERT INTO idempotency_keys (account_id, key, request_hash, response, created_at)
     VALUES ($1, 'before', 'hash', $2, now()), ($1, 'send', 'hash', $3, now())`,
    [accountId, seal(env().SECRET_KEY, "idempotent answer", json), json],
  );
  const [before, send] = [requestOf(accountId, "before"), requestOf(accountId, "send")];
  const responses = await readResponses(pool(), [before, send]);
  expect([responses.find(before), responses.find(send)]).toEqual(Array(2).fill({ response: JSON.parse(json) }));
  await transaction((tx) => storeResponses(tx, [{ ...send, response: { id: "msg_2" }, isSealed: false }]));
  const { rows } = await pool().query("SELECT response FROM idempotency_keys WHERE account_id = $1 AND key = 'send'", [
    accountId,
  ]);
  expect(rows).toEqual([{ response: '{"id":"msg_2"}' }]);
});

test("responses to Idempotency-Keys are kept for 25 hours", async () => {
  const count = async () =>
    (await pool().query<{ n: number }>("SELECT count(*)::int AS n FROM idempotency_keys WHERE account_id = 'acc_x'"))
      .rows;
  await pool().query(
    `INSERT INTO idempotency_keys (account_id, key, request_hash, response, created_at)
     SELECT 'acc_x', n::text, 'h', '{}', now() - CASE WHEN n <= 2 THEN interval '24 hours' ELSE interval '26 hours' END
     FROM generate_series(1, $1) n`,
    [MANY],
  );
  await deleteExpiredResponses();
  expect(await count()).toEqual([{ n: 2 }]);
});
