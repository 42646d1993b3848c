/** Callers of the database while it is unreachable, behind a proxy that can be cut. */
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { makeNotes, notes } from "@/test/database/notes";
import { type DatabaseProxy, startDatabaseProxy } from "@/test/network/database-proxy";
import { WAIT_MAX_MS } from "./database/patient-pool";
import { pool, prisma, repeatWhenLost, transaction } from "./db";
import { toApiError } from "./errors";
import { shutDown } from "./process";

const settled = (work: Promise<unknown>) => work.then(() => null, toApiError);

beforeAll(makeNotes);

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
    const tries = vi.spyOn(pg.Pool.prototype, "connect");
    // Again on a machine so slow that the longest wait was over before each caller had been refused several times.
    for (let round = 1, isTooSlow = true; isTooSlow; round += 1) {
      await proxy.goAway();
      tries.mockClear();
      const startedAt = performance.now();
      const asked = [
        pool().query("SELECT 7 AS n"),
        prisma().account.count(),
        prisma().$queryRaw`SELECT 7 AS n`,
        transaction((tx) => tx.query("INSERT INTO notes VALUES ($1)", [`patient ${round}`])),
        pool()
          .connect()
          .then((client) => client.release()),
      ];
      const ends = Promise.allSettled(asked);
      await expect.poll(() => tries.mock.calls.length).toBeGreaterThan(2 * asked.length);
      isTooSlow = performance.now() - startedAt > WAIT_MAX_MS;
      await proxy.comeBack();
      const failed = (await ends).filter(({ status }) => status === "rejected");
      if (isTooSlow) continue;
      expect(failed).toEqual([]);
      expect(await notes(`patient ${round}`)).toEqual([`patient ${round}`]);
    }
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
