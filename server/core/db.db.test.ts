import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { type DatabaseProxy, startDatabaseProxy } from "@/test/network/database-proxy";
import { lockAccounts } from "../accounts/store";
import { pool, prisma, repeatWhenLost, type Tx, transaction } from "./db";
import { toApiError } from "./errors";
import { shutDown } from "./process";

/** Ends a backend from outside, as a restart of the database does. */
const terminate = (pid: number) => pool().query("SELECT pg_terminate_backend($1)", [pid]);

const pidOf = async (tx: Tx): Promise<number> =>
  (await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid ?? 0;

const settled = (work: Promise<unknown>) => work.then(() => null, toApiError);

beforeAll(async () => {
  await pool().query("CREATE TABLE notes (id text PRIMARY KEY)");
});

const notes = async (prefix: string): Promise<string[]> =>
  (await pool().query<{ id: string }>("SELECT id FROM notes WHERE id LIKE $1 || '%' ORDER BY id", [prefix])).rows.map(
    (row) => row.id,
  );

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

  test("a full disk is recognised whatever the server's language", async () => {
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

describe("behind a proxy that can be cut", () => {
  let proxy: DatabaseProxy;
  let direct = "";

  beforeEach(async () => {
    direct = process.env.DATABASE_URL ?? "";
    proxy = await startDatabaseProxy(direct);
    await renew(proxy.url);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await proxy.close();
    await renew(direct);
  });

  /** Discards the pool and the settings, so that they are made again with another database address. */
  async function renew(url: string): Promise<void> {
    await shutDown();
    const made = (globalThis as Record<symbol, unknown>)[Symbol.for("messaging-service.process")] as Map<
      string,
      unknown
    >;
    for (const name of ["db.pool", "db.prisma", "env"]) made.delete(name);
    process.env.DATABASE_URL = url;
  }

  test("every caller waits while the database is down, and succeeds when it is back", async () => {
    await pool().query("SELECT 1");
    await proxy.goAway();
    const tries = vi.spyOn(pg.Pool.prototype, "connect");
    const asked = [
      pool().query("SELECT 7 AS n"),
      prisma().account.count(),
      prisma().$queryRaw`SELECT 7 AS n`,
      transaction((tx) => tx.query("INSERT INTO notes VALUES ('patient')")),
      pool()
        .connect()
        .then((client) => client.release()),
    ];
    // Each of them was refused several times.
    await expect.poll(() => tries.mock.calls.length).toBeGreaterThan(2 * asked.length);
    await proxy.comeBack();
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(asked.map(() => "fulfilled"));
    expect(await notes("patient")).toEqual(["patient"]);
  });

  test("an unreachable database is a 503 for every caller; only a transaction knows that nothing was done", async () => {
    await proxy.goAway();
    const refused = await Promise.all([
      settled(pool().query("SELECT 1")),
      settled(prisma().account.count()),
      settled(prisma().account.updateMany({ where: { id: "nobody" }, data: { name: "Nobody" } })),
      settled(transaction((tx) => tx.query("SELECT 1"))),
    ]);
    for (const error of refused) {
      expect(error).toMatchObject({
        status: 503,
        retryAfterS: expect.any(Number),
        wire: { type: "api_error", code: "service_unavailable", details: { reason: "database_unavailable" } },
      });
    }
    expect(refused.map((error) => error?.message.includes("Nothing was carried out"))).toEqual([
      ...[false, false, false],
      true,
    ]);
    await expect(pool().reachAtOnce()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  for (const [cut, committed] of [
    ["swallow", true],
    ["withhold", false],
  ] as const) {
    test(`a transaction whose connection is lost after COMMIT was sent (${cut}) never runs again, and its outcome is reported as unknown`, async () => {
      let runs = 0;
      const id = `commit-${cut}`;
      const atCommit = proxy.cutCommitOf(id, cut);
      const failed = settled(
        transaction(async (tx) => {
          runs += 1;
          await tx.query("INSERT INTO notes VALUES ($1)", [id]);
        }),
      );
      await atCommit;
      await expect.poll(() => notes(id)).toEqual(committed ? [id] : []);
      proxy.hangUp();
      expect(await failed).toMatchObject({
        status: 503,
        wire: {
          code: "service_unavailable",
          message: expect.stringContaining("may or may not have been carried out"),
          details: { reason: "outcome_unknown" },
        },
      });
      expect(runs).toBe(1);
    });
  }

  test("a transaction never runs again when a pooler has lost the database, whichever statement the pooler reports it for", async () => {
    // A new connection first sends its settings.
    await pool().query("SELECT 1");
    let runs = 0;
    const failed = settled(
      transaction(async (tx, defer) => {
        runs += 1;
        defer(tx.query("INSERT INTO notes VALUES ($1)", ["disowned"]));
      }),
    );
    await proxy.cutCommitOf("disowned", "disown");
    expect(await failed).toMatchObject({ status: 503, wire: { details: { reason: "outcome_unknown" } } });
    expect(runs).toBe(1);
    expect(await notes("disowned")).toEqual(["disowned"]);
  });

  test("a single read whose connection is lost is repeated; a single write only if that is allowed", async () => {
    const holder = new pg.Client({ connectionString: direct });
    await holder.connect();
    const key = 7_461_001;
    /** Cuts the connection on which the statement with `marker` waits. */
    const cutOff = async (marker: string): Promise<void> => {
      const waiting = () =>
        holder.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE $1 AND pid <> pg_backend_pid()`,
          [`%${marker}%`],
        );
      await expect.poll(async () => (await waiting()).rowCount).toBe(1);
      proxy.hangUp();
    };
    const lock = () => holder.query("SELECT pg_advisory_lock($1)", [key]);
    const unlock = () => holder.query("SELECT pg_advisory_unlock($1)", [key]);

    await lock();
    const read = pool().query<{ n: number }>(`SELECT 7 AS n, pg_advisory_xact_lock(${key})`);
    await cutOff("SELECT 7");
    await unlock();
    expect((await read).rows).toMatchObject([{ n: 7 }]);

    await lock();
    const slowly = (id: string) =>
      pool().query(`INSERT INTO notes SELECT '${id}-' || random() FROM pg_advisory_xact_lock(${key})`);
    const lost = settled(slowly("write"));
    await cutOff("write");
    expect(await lost).toMatchObject({ status: 503, wire: { details: { reason: "outcome_unknown" } } });

    let tries = 0;
    const twice = repeatWhenLost(() => {
      tries += 1;
      return slowly("again");
    });
    await cutOff("again");
    await unlock();
    await twice;
    expect(tries).toBe(2);
    await holder.end();
  });
});
