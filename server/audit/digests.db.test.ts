/** The digests of the audit log: what they cover, and what a check of them finds. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { DAY_MS, now, utcDay } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
import * as logs from "../core/log";
import { type AuditCheck, checkAudit } from "./check-digests";
import { digestAudit, ENTRIES_MAX } from "./digests";
import { recordAudit } from "./store";
import { forgetAudit } from "./tasks";

beforeEach(async () => {
  await pool().query("TRUNCATE audit_entries, audit_digests");
});

/** Records an entry. @returns its id. */
async function record(name = "Acme"): Promise<string> {
  const accountId = newId("account");
  const change = { action: "account.updated", accountId, before: { name: "" }, after: { name } } as const;
  await recordAudit(pool(), { kind: "system", name: "admin" }, change);
  const { rows } = await pool().query<{ id: string }>("SELECT id FROM audit_entries WHERE account_id = $1", [
    accountId,
  ]);
  return rows[0]?.id ?? "";
}

/** Records entries, and makes a digest of them. @returns their ids. */
async function digested(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push(await record(`Name ${made}`));
  await digestAudit();
  return ids;
}

/** Copies the newest entry. @param createdAt SQL: the time of the copies of `e`. */
const copy = (count: number, createdAt = "e.created_at") =>
  pool().query(
    `INSERT INTO audit_entries (id, account_id, actor_kind, action, created_at)
     SELECT e.id || lpad(n::text, 6, '0'), e.account_id, e.actor_kind, e.action, ${createdAt}
     FROM (SELECT * FROM audit_entries ORDER BY id DESC LIMIT 1) e, generate_series(1, $1) n`,
    [count],
  );

const faultsOf = ({ faults }: AuditCheck) =>
  faults.map(({ number, problem, found }) => [Number(number), problem, found]);

describe("entries", () => {
  test("get a digest once, whose hash is logged", async () => {
    const logged = vi.spyOn(logs, "log");
    await digested(2);
    const check = await checkAudit();
    expect(check).toMatchObject({
      digests: 1,
      entries: 2,
      waiting: 0,
      isNoted: null,
      faults: [],
      since: expect.any(String),
    });
    const { sha256 = "" } = check.newest ?? {};
    expect(logged.mock.calls).toEqual([
      [
        "info",
        "audit.digest",
        { number: "1", day: utcDay(now()), entries: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
    ]);
    expect(logged.mock.calls[0]?.[2]).toMatchObject({ sha256 });
    logged.mockRestore();
    await digestAudit();
    expect(await checkAudit()).toMatchObject({ digests: 1, faults: [] });
    await digested(1);
    expect(await checkAudit({ noted: sha256 })).toMatchObject({ digests: 2, entries: 3, isNoted: true, faults: [] });
    expect(await checkAudit({ noted: "0".repeat(64) })).toMatchObject({ isNoted: false, faults: [] });
  });

  test("of several days get a digest for each day, and no digest has more than its limit", async () => {
    await record();
    await copy(ENTRIES_MAX, "e.created_at - interval '2 days'");
    await copy(1, "e.created_at - interval '1 day'");
    await digestAudit();
    const { rows } = await pool().query(
      "SELECT count(*)::int AS digests, count(DISTINCT day)::int AS days, max(entries) FROM audit_digests",
    );
    expect(rows[0]?.days).toBe(3);
    expect(rows[0]?.max).toBeLessThanOrEqual(ENTRIES_MAX);
    expect(await checkAudit()).toMatchObject({ entries: ENTRIES_MAX + 2, waiting: 0, faults: [] });
  });

  test("of a change that is committed late get one all the same", async () => {
    const [first = ""] = [await record()];
    await pool().query("UPDATE audit_entries SET created_at = created_at - interval '11 minutes' WHERE id = $1", [
      first,
    ]);
    expect(await checkAudit()).toMatchObject({ digests: 0, newest: null, waiting: 1, faults: [] });
    await digestAudit();
    await copy(1);
    await digestAudit();
    expect(await checkAudit()).toMatchObject({ digests: 2, entries: 2, waiting: 0, faults: [] });
  });

  test("have the same hash whatever the settings of a session", async () => {
    await digested(2);
    const { rows } = await pool().query<{ database: string }>("SELECT current_database() AS database");
    const { database } = rows[0] ?? {};
    for (const setting of [
      "TimeZone = 'Asia/Kolkata'",
      "DateStyle = 'German, DMY'",
      "IntervalStyle = 'sql_standard'",
    ]) {
      await pool().query(`ALTER DATABASE "${database}" SET ${setting}`);
    }
    await pool().query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    expect(await checkAudit()).toMatchObject({ digests: 1, faults: [] });
    await digested(1);
    for (const setting of ["TimeZone", "DateStyle", "IntervalStyle"]) {
      await pool().query(`ALTER DATABASE "${database}" RESET ${setting}`);
    }
    expect(await checkAudit()).toMatchObject({ digests: 2, faults: [] });
  });
});

const FORGERIES: readonly [what: string, sql: string, faults: readonly (string | number)[][]][] = [
  ["alters an entry", `UPDATE audit_entries SET after = '{"name": "Other"}' WHERE id = $1`, [[2, "entries_differ", 2]]],
  [
    "moves an entry in time",
    "UPDATE audit_entries SET created_at = created_at + interval '1 ms' WHERE id = $1",
    [[2, "entries_differ", 2]],
  ],
  ["deletes an entry", "DELETE FROM audit_entries WHERE id = $1", [[2, "entries_differ", 1]]],
  [
    "takes an entry out of its digest",
    "UPDATE audit_entries SET digest_number = NULL WHERE id = $1",
    [[2, "entries_differ", 1]],
  ],
  [
    "moves an entry to another digest",
    "UPDATE audit_entries SET digest_number = 1 WHERE id = $1",
    [
      [1, "entries_differ", 3],
      [2, "entries_differ", 1],
    ],
  ],
  [
    "alters a digest to fit",
    "WITH d AS (DELETE FROM audit_entries WHERE id = $1) UPDATE audit_digests SET entries = 1 WHERE number = 2",
    [
      [2, "digest_altered", 1],
      [2, "entries_differ", 1],
    ],
  ],
  [
    "says that a digest is of a forgotten day",
    "UPDATE audit_digests SET day = '2020-01-01' WHERE number = 2 AND $1 <> ''",
    [
      [2, "digest_altered", 2],
      [2, "entries_differ", 2],
    ],
  ],
  [
    "replaces the hash of a digest",
    "UPDATE audit_digests SET sha256 = repeat('0', 64) WHERE number = 2 AND $1 <> ''",
    [
      [2, "digest_altered", 2],
      [3, "digest_altered", 2],
    ],
  ],
  [
    "deletes a digest with its entries",
    "WITH e AS (DELETE FROM audit_entries WHERE digest_number = 2 AND $1 <> '') DELETE FROM audit_digests WHERE number = 2",
    [[2, "digest_missing", 0]],
  ],
  [
    "adds an entry with the number of no digest",
    `INSERT INTO audit_entries (id, account_id, actor_kind, action, created_at, digest_number)
     SELECT id || '0', account_id, actor_kind, action, created_at, 0 FROM audit_entries WHERE id = $1`,
    [[0, "digest_missing", 1]],
  ],
  [
    "deletes the newest digest only",
    "DELETE FROM audit_digests WHERE number = 3 AND $1 <> ''",
    [[3, "digest_missing", 2]],
  ],
];

describe("a check finds that somebody", () => {
  test.each(FORGERIES)("%s", async (_, sql, faults) => {
    await digested(2);
    const [second] = await digested(2);
    await digested(2);
    await pool().query(sql, [second]);
    expect(faultsOf(await checkAudit())).toEqual(faults);
  });

  test("has deleted the newest digest with its entries, if its hash was noted", async () => {
    await digested(2);
    await digested(2);
    const { newest } = await checkAudit();
    await pool().query("DELETE FROM audit_entries WHERE digest_number = 2");
    await pool().query("DELETE FROM audit_digests WHERE number = 2");
    expect(await checkAudit({ noted: newest?.sha256 })).toMatchObject({ isNoted: false, faults: [] });
  });
});

test("a digest that is made during a check is no fault", async () => {
  await digested(2);
  await record();
  const query = pool().query.bind(pool()) as (...args: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(pool(), "query").mockImplementation((async (...args: unknown[]) => {
    if (String(args[0]).includes("digest_number > $1")) await digestAudit();
    return query(...args);
  }) as never);
  const check = await checkAudit().finally(() => spy.mockRestore());
  expect(check).toMatchObject({ digests: 1, faults: [] });
  expect(await checkAudit()).toMatchObject({ digests: 2, faults: [] });
});

describe("entries that are too old", () => {
  test("are deleted without a fault, and their digests are still compared", async () => {
    const days = env().AUDIT_KEPT_DAYS;
    await record();
    await copy(3, `e.created_at - interval '${days} days 1 hour'`);
    await digestAudit();
    expect((await checkAudit()).digests).toBe(2);
    await forgetAudit();
    const check = await checkAudit();
    expect(check).toMatchObject({ digests: 2, entries: 1, faults: [] });
    expect(Date.parse(check.since)).toBeGreaterThan(now().getTime() - days * DAY_MS);
    const { rows } = await pool().query<{ day: string }>("SELECT min(day)::text AS day FROM audit_digests");
    const whole = await checkAudit({ since: rows[0]?.day });
    expect(whole.faults).toMatchObject([{ problem: "entries_differ", entries: 3, found: 0 }]);
    await pool().query("UPDATE audit_digests SET entries = 2 WHERE day = $1", [rows[0]?.day]);
    expect((await checkAudit()).faults).toMatchObject([{ problem: "digest_altered", entries: 2 }]);
  });

  test("hide no entry that somebody adds to their digest", async () => {
    await record();
    await copy(1, `e.created_at - interval '${env().AUDIT_KEPT_DAYS + 2} days'`);
    await digestAudit();
    await forgetAudit();
    const newer = await record("Forged");
    await pool().query("UPDATE audit_entries SET digest_number = 2 WHERE id = $1", [newer]);
    expect(faultsOf(await checkAudit())).toEqual([[2, "entries_differ", 1]]);
  });
});

test("a digest reads the entries without one, not the whole log, whatever the statistics say", async () => {
  await record();
  await copy(5_000);
  await pool().query("ANALYZE audit_entries");
  await digestAudit();
  await record();
  const statements = await statementsOf(() => digestAudit());
  const taken = statements.find(({ text }) => text.includes("UPDATE audit_entries"));
  if (!taken) throw new Error("no statement");
  await record();
  expect(rowsRead((await explain(taken)).plan, ["audit_entries"])).toBeLessThan(50);
});
