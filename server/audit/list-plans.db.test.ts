/** Pages of an account's audit log, beside those of an account that has changed more since. */
import { beforeAll, expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { makeAccount, newOperator, personOf } from "@/test/database/seed";
import type { SessionActor } from "../core/actor";
import { pool } from "../core/db";
import { listAllAudit, listAudit } from "./service";

const OWN = 20_000;
const SINCE = 1_500;
const LIMIT = 50;
const COUNTED_MAX = 10_000;

let own: SessionActor;

/** Every thousandth entry is of an action that nearly all entries of the other account have. */
const add = ({ accountId }: SessionActor, place: string, action: string, count: number) =>
  pool().query(
    `INSERT INTO audit_entries (id, account_id, actor_kind, action)
     SELECT 'aud_' || $2::text || lpad(n::text, 25, '0'), $1, 'system', CASE WHEN n % 1000 = 0 THEN 'sender.decided' ELSE $3 END
     FROM generate_series(1, $4) n`,
    [accountId, place, action, count],
  );

beforeAll(async () => {
  own = personOf(await makeAccount());
  await add(own, "1", "suppression.created", OWN);
  await add(personOf(await makeAccount()), "2", "sender.decided", SINCE);
  await pool().query("VACUUM ANALYZE audit_entries");
});

const readOf = (query: Partial<Parameters<typeof listAudit>[1]>) =>
  rowsReadBy(() => listAudit(own, { page: 1, limit: LIMIT, ...query }), ["audit_entries"]);

test("a page is read in the account's own index, and its entries are counted up to a bound", async () => {
  expect(await readOf({})).toBeLessThanOrEqual(COUNTED_MAX + LIMIT);
});

test("the few entries of an action are found without the others of the account, and of the action", async () => {
  const found = OWN / 1_000;
  expect((await listAudit(own, { page: 1, limit: LIMIT, action: "sender.decided" })).pagination.total).toBe(found);
  expect(await readOf({ action: "sender.decided" })).toBeLessThanOrEqual(2 * found);
  expect(await readOf({ action: "route.deleted" })).toBe(0);
});

test("an operator's search finds the entries by, about and of an id without the rest of the log", async () => {
  const { accountId } = await makeAccount();
  await pool().query(
    `INSERT INTO audit_entries (id, account_id, actor_kind, actor_id, action, subject_id) VALUES
       ('aud_3a', 'acc_searched', 'user', 'usr_x', 'sender.decided', 'snd_x'), ('aud_3b', $1, 'user', 'acc_searched', 'sender.decided', 'snd_x'),
       ('aud_3c', $1, 'user', 'usr_x', 'route.created', 'acc_searched'), ('aud_3d', $1, 'user', 'usr_x', 'route.created', 'snd_x')`,
    [accountId],
  );
  const operator = newOperator();
  const found = async (query: Partial<Parameters<typeof listAllAudit>[1]>) =>
    (await listAllAudit(operator, { page: 1, limit: LIMIT, ...query })).items.map(({ id }) => id);
  expect(await found({ search: "acc_searched" })).toEqual(["aud_3c", "aud_3b", "aud_3a"]);
  expect(await found({ search: "acc_searched", action: "route.created" })).toEqual(["aud_3c"]);
  expect(await found({ search: "nobody" })).toEqual([]);
  const searched = (search: string) =>
    rowsReadBy(() => listAllAudit(operator, { page: 1, limit: LIMIT, search }), ["audit_entries"]);
  expect(await searched("nobody")).toBe(0);
  // Found twice, as ids and as entries: for their number and for the page.
  expect(await searched("acc_searched")).toBeLessThanOrEqual(4 * 3);
});
