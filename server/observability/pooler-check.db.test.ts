import pg from "pg";
import { afterEach, describe, expect, inject, test, vi } from "vitest";
import { runProgram } from "@/test/commands";
import {
  hasPooler,
  keepsStatements,
  type Pooler,
  type PoolerSettings,
  startPooler,
} from "@/test/database/servers/pooler";
import { SessionClient } from "../core/database/session";
import { env } from "../core/env";
import { refuseUnfitPooler } from "./pooler-check";

const SECRET_KEY = "0123456789abcdef0123456789abcdef";
/** Known once the tests run. */
const direct = (): string => process.env.DATABASE_URL ?? "";
let pooler: Pooler | null = null;

afterEach(async () => {
  await pooler?.stop();
  pooler = null;
});

async function pooled(changes: PoolerSettings): Promise<string> {
  pooler = await startPooler(direct(), changes);
  return pooler.through(direct());
}

type Program = "web" | "worker" | "migrate";

/** Starts a program, which is to refuse its settings. @returns its exit code, and what it said on the terminal. */
const start = (program: Program, env: Record<string, string>) =>
  runProgram([inject("programs")[program]], { cwd: ".", env: { SECRET_KEY, LOG_LEVEL: "error", ...env } });

/** Stands for the address past the pooler. */
const PAST = "past";
const NAMELESS = { DATABASE_STATEMENT_NAMES: "false" };

describe.skipIf(!hasPooler)(
  "a pooler that lacks what the service needs is refused at start, with what to do (skipped without pgbouncer)",
  () => {
    test.each<[string, Program, PoolerSettings, Record<string, string>, string]>([
      [
        "one that refuses our parameters",
        "web",
        { ignore_startup_parameters: null },
        NAMELESS,
        "DATABASE_URL leads through a pooler that refuses the parameter statement_timeout: name it in its ignore_startup_parameters, as deploy/pgbouncer/pgbouncer.ini does.",
      ],
      [
        "one without transactions",
        "web",
        { pool_mode: "statement" },
        NAMELESS,
        "DATABASE_URL leads through a pooler that has no transactions (pool_mode = statement): set its pool_mode to transaction, as deploy/pgbouncer/pgbouncer.ini does.",
      ],
      [
        "one that keeps no prepared statements",
        "worker",
        keepsStatements ? { max_prepared_statements: "0" } : {},
        { DATABASE_DIRECT_URL: PAST },
        "DATABASE_URL leads through a pooler that keeps no prepared statements: set its max_prepared_statements to 300 (PgBouncer 1.21 or newer), or DATABASE_STATEMENT_NAMES to false.",
      ],
      [
        "one whose connections may lose what was acknowledged",
        "web",
        { fit_values: null },
        NAMELESS,
        "DATABASE_URL leads through a pooler that hands out connections with synchronous_commit = off, and a crash of the database would lose accepted messages: set it for the user (ALTER ROLE … SET synchronous_commit = on).",
      ],
      [
        "one in session mode that refuses the queues' parameters",
        "worker",
        { pool_mode: "session" },
        NAMELESS,
        `DATABASE_URL leads through a pooler (it refuses the parameter ${keepsStatements ? "enable_seqscan" : "options"}): set DATABASE_DIRECT_URL to the address of PostgreSQL itself.`,
      ],
      [
        "one in transaction mode without an address past it",
        "worker",
        { ignore_startup_parameters: "lock_timeout,idle_in_transaction_session_timeout,statement_timeout,options" },
        NAMELESS,
        "DATABASE_URL leads through a pooler (its sessions do not last): set DATABASE_DIRECT_URL to the address of PostgreSQL itself.",
      ],
    ])("%s", async (_, program, changes, env, line) => {
      const past: Record<string, string> = env.DATABASE_DIRECT_URL === PAST ? { DATABASE_DIRECT_URL: direct() } : {};
      const refused = await start(program, { DATABASE_URL: await pooled(changes), ...env, ...past });
      expect(refused).toEqual({ code: 1, output: `${program} could not start: ${line}\n` });
    });

    test("one that does not pass on in which zone times are to be written", async () => {
      Object.assign(env(), { DATABASE_URL: await pooled({}), DATABASE_STATEMENT_NAMES: keepsStatements });
      const { getStartupConf } = pg.Client.prototype as unknown as SessionClient;
      const dropped = vi.spyOn(SessionClient.prototype, "getStartupConf").mockImplementation(getStartupConf);
      const line =
        "DATABASE_URL leads through a pooler that hands out connections with TimeZone = Asia/Kathmandu, and times would be shown off by hours: set it for the user (ALTER ROLE … SET TimeZone = 'UTC').";
      await expect(refuseUnfitPooler()).rejects.toThrow(line);
      dropped.mockRestore();
      await refuseUnfitPooler();
    });

    test("an address that should lead past it and does not", async () => {
      const url = await pooled({
        ignore_startup_parameters: "lock_timeout,idle_in_transaction_session_timeout,statement_timeout,options",
      });
      const env = { DATABASE_URL: url, DATABASE_DIRECT_URL: url, ...NAMELESS };
      const line =
        "DATABASE_DIRECT_URL leads through a pooler (its sessions do not last): it must lead straight to PostgreSQL.";
      expect(await start("worker", env)).toEqual({ code: 1, output: `worker could not start: ${line}\n` });
      expect(await start("migrate", env)).toEqual({ code: 1, output: `${line}\n` });
    });

    test("a migration through it leaves no lock behind for which the next one would wait", async () => {
      const url = await pooled({});
      const refused = await start("migrate", { DATABASE_URL: url });
      expect(refused.output).toContain("set DATABASE_DIRECT_URL to the address of PostgreSQL itself");
      const client = new pg.Client({ connectionString: direct() });
      await client.connect();
      const { rows } = await client.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 5220117
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      await client.end();
      expect(rows).toEqual([]);
      expect(await start("migrate", { DATABASE_URL: direct() })).toEqual({ code: 0, output: "up to date\n" });
    });
  },
  120_000,
);
