import pg from "pg";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { makeNotes, notes } from "@/test/database/notes";
import { makeAccount } from "@/test/database/seed";
import { lockAccounts } from "../accounts/store";
import { pool, type Tx, transaction } from "./db";
import { toApiError } from "./errors";
import * as logs from "./log";

/** Ends a backend from outside, as a restart of the database does. */
const terminate = (pid: number) => pool().query("SELECT pg_terminate_backend($1)", [pid]);

const pidOf = async (tx: Tx): Promise<number> =>
  (await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid ?? 0;

const settled = (work: Promise<unknown>) => work.then(() => null, toApiError);

beforeAll(makeNotes);

describe("a connection that is lost before COMMIT", () => {
  test("between two statements: the transaction runs again, and is carried out once", async () => {
    let runs = 0;
    const result = await transaction(async (tx) => {
      runs += 1;
      const pid = await pidOf(tx);
      await tx.query("INSERT INTO notes VALUES ('between')");
      if (runs === 1) {
        await terminate(pid);
        const alive = () => pool().query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [pid]);
        await expect.poll(async () => (await alive()).rowCount).toBe(0);
      }
      await tx.query("SELECT 1");
      return runs;
    });
    expect(result).toBe(2);
    expect(await notes("between")).toEqual(["between"]);
  });

  test("within a statement, with COMMIT already sent behind it: the transaction runs again", async () => {
    let runs = 0;
    await transaction(async (tx, defer) => {
      runs += 1;
      const pid = await pidOf(tx);
      await tx.query("INSERT INTO notes VALUES ('deferred')");
      if (runs > 1) return;
      defer(tx.query("SELECT pg_sleep(600)"));
      const asleep = () =>
        pool().query("SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", [pid]);
      void (async () => {
        await expect.poll(async () => (await asleep()).rowCount).toBe(1);
        await terminate(pid);
      })();
    });
    expect(runs).toBe(2);
    expect(await notes("deferred")).toEqual(["deferred"]);
  });

  test("when the database's disk is full, the transaction runs again, and a single write is a 503", async () => {
    const full = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$";
    let runs = 0;
    await transaction(async (tx) => {
      runs += 1;
      await tx.query("INSERT INTO notes VALUES ('roomy')");
      if (runs === 1) await tx.query(full);
    });
    expect(await notes("roomy")).toEqual(["roomy"]);
    expect(await settled(pool().query(full))).toMatchObject({
      status: 503,
      retryAfterS: expect.any(Number),
      wire: { details: { reason: "database_unavailable" } },
    });
  });

  test("a single write that finds the disk full is carried out once there is room", async () => {
    await pool().query("CREATE SEQUENCE full_at_first");
    await pool().query(`DO $$ BEGIN
      IF nextval('full_at_first') = 1 THEN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END IF;
      INSERT INTO notes VALUES ('alone');
    END $$`);
    expect(await notes("alone")).toEqual(["alone"]);
  });

  test("a transaction whose COMMIT finds the disk full runs again", async () => {
    await pool().query(`CREATE SEQUENCE full_at_commit;
      CREATE FUNCTION check_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('full_at_commit') = 1 THEN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END IF;
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER check_room AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.id = 'checked late') EXECUTE FUNCTION check_room()`);
    await transaction((tx) => tx.query("INSERT INTO notes VALUES ('checked late')"));
    expect(await notes("checked late")).toEqual(["checked late"]);
  });

  test("a full disk is recognized whatever the server's language", async () => {
    // Translates the word as the server does under `lc_messages`.
    const translate = (client: pg.PoolClient) =>
      client.connection.on("errorMessage", (failure: pg.DatabaseError) => (failure.severity = "FEHLER"));
    pool().on("acquire", translate);
    try {
      await pool().query("CREATE SEQUENCE voll");
      await pool().query(`DO $$ BEGIN
        IF nextval('voll') = 1 THEN RAISE 'konnte Datei nicht erweitern' USING ERRCODE = 'disk_full'; END IF;
        INSERT INTO notes VALUES ('voll allein');
      END $$`);
      await pool().query(`CREATE SEQUENCE voll_am_ende;
        CREATE FUNCTION pruefe_platz() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('voll_am_ende') = 1 THEN RAISE 'konnte Datei nicht erweitern' USING ERRCODE = 'disk_full'; END IF;
          RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER pruefe_platz AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (NEW.id = 'voll am Ende') EXECUTE FUNCTION pruefe_platz()`);
      await transaction((tx) => tx.query("INSERT INTO notes VALUES ('voll am Ende')"));
      expect(await notes("voll")).toEqual(["voll allein", "voll am Ende"]);
    } finally {
      pool().off("acquire", translate);
    }
  });

  test("an error of a statement itself is thrown unchanged, and nothing runs again", async () => {
    let runs = 0;
    const failing = transaction(async (tx) => {
      runs += 1;
      await tx.query("INSERT INTO notes VALUES ('twice'), ('twice')");
    });
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect(runs).toBe(1);
  });
});

test.each(["rolled back", "committed"])("a statement after its transaction is %s is refused", async (end) => {
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  let late: Promise<unknown> = Promise.resolve();
  const ended = transaction(async (tx) => {
    late = gate.then(() => tx.query("INSERT INTO notes VALUES ('late')"));
    if (end === "rolled back") await Promise.all([late, Promise.reject(new Error("refused"))]);
  });
  await ended.catch(() => undefined);
  goOn();
  await expect(late).rejects.toThrow("over");
  expect(await notes("late")).toEqual([]);
});

test("a stalled transaction is ended, so that another can lock the account's row, and runs again", async () => {
  const { accountId } = await makeAccount();
  let runs = 0;
  let release = () => {};
  const stalled = transaction(async (tx) => {
    runs += 1;
    await lockAccounts(tx, [accountId]);
    // Idle, like a stopped process.
    if (runs === 1) await new Promise<void>((resolve) => (release = resolve));
    await tx.query("INSERT INTO notes VALUES ('stalled')");
  });
  const other = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await other.connect();
  try {
    await expect
      .poll(
        () =>
          other.query("SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE NOWAIT", [accountId]).then(
            () => "free",
            (thrown: pg.DatabaseError) => thrown.code,
          ),
        { interval: 1 },
      )
      .toBe("55P03");
    // The lock must be free well before the 10 s are over after which a waiting sender gives up.
    await other.query("SET lock_timeout = 8000");
    await other.query("SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE", [accountId]);
  } finally {
    await other.end();
  }
  release();
  await stalled;
  expect(runs).toBe(2);
  expect(await notes("stalled")).toEqual(["stalled"]);
});

test.each([
  ["a lock that it waited for in vain", "55P03", 2],
  ["a deadlock", "40P01", 4],
  ["a conflict", "40001", 4],
])("after %s, a transaction runs again, but not for ever", async (_, code, most) => {
  let runs = 0;
  const failing = transaction(async (tx) => {
    runs += 1;
    await tx.query(`DO $$ BEGIN RAISE 'again' USING ERRCODE = '${code}'; END $$`);
  });
  await expect(failing).rejects.toMatchObject({ code });
  expect(runs).toBe(most);
});

test("the log says in which table a transaction waited for a row that others had locked", async () => {
  const { accountId } = await makeAccount();
  const other = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await other.connect();
  const logged = vi.spyOn(logs, "log");
  try {
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE", [accountId]);
    const waiting = transaction(async (tx) => {
      await tx.query("SET LOCAL lock_timeout = 50");
      await lockAccounts(tx, [accountId]);
    });
    await expect(waiting).rejects.toMatchObject({ code: "55P03" });
  } finally {
    await other.end();
  }
  expect(logged.mock.calls).toEqual([
    [
      "warn",
      "db.transaction_run_again",
      { run: 1, code: "55P03", reason: "", where: expect.stringMatching(/in relation "accounts"/) },
    ],
  ]);
  logged.mockRestore();
});
