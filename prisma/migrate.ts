/**
 * Applies the migrations of this folder, and writes new ones, with Prisma's own schema engine as WebAssembly: the
 * native engine that `prisma migrate` downloads is not needed. The records in `_prisma_migrations` are the ordinary
 * ones, so `prisma migrate deploy` works on the same database.
 *
 *   tsx prisma/migrate.ts                 apply what is missing to DATABASE_URL (DATABASE_DIRECT_URL, if it is set)
 *   tsx prisma/migrate.ts --check         say what is applied, pending, newer and too new; see EXIT_CODES
 *   tsx prisma/migrate.ts new <name>      write the migration from the schema's last state to its present one
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, DriverAdapterError } from "@prisma/driver-adapter-utils";
import { runMigrations as migrateJobQueue } from "graphile-worker";
import type pg from "pg";
import { type MigrationState, tooNewLine } from "../server/observability/migration-state";
import { readMigrationState } from "../server/observability/migrations";
import { compareDirectUrl } from "../server/observability/same-database";
import { missingRightsLine, unfitDatabaseLine } from "../server/observability/unfit-database";
import { connectOrSay } from "../server/observability/unreachable";
import { buildIndexesOf, onOwnConnection } from "./online-indexes";
import { patiently } from "./patiently";
import { indexQueues } from "./queue-indexes";
import { beginMigration, poolOfMigration } from "./session";
import { refuseShared, takeTurn } from "./turn";
import { halfDoneLine, noteRolledBack, withNote } from "./unfinished";

const MIGRATIONS = path.join("prisma", "migrations");
const SCHEMA = path.join("prisma", "schema");
const LOCK_FILE = "migration_lock.toml";
/** A migration that waits for a lock blocks every statement behind it, so it gives up soon and is retried. */
const LOCK_TIMEOUT_MS = 3_000;

/** Exit codes of `--check`. */
const EXIT_CODES = { current: 0, pending: 1, tooNew: 2, unfinished: 3, failed: 4 } as const;

const require = createRequire(import.meta.url);

type Bindings = typeof import("@prisma/schema-engine-wasm/schema_engine_bg") & {
  __wbg_set_wasm: (exports: WebAssembly.Exports) => void;
};

let loading: Promise<Bindings> | undefined;

/** Loads the engine once per process: a second copy under the same bindings would crash the first. */
function loadEngine(): Promise<Bindings> {
  loading ??= (async () => {
    const folder = path.dirname(require.resolve("@prisma/schema-engine-wasm"));
    const bindings = (await import(pathToFileURL(path.join(folder, "schema_engine_bg.js")).href)) as Bindings;
    const binary = await readFile(path.join(folder, "schema_engine_bg.wasm"));
    const { instance } = await WebAssembly.instantiate(binary, {
      "./schema_engine_bg.js": bindings as unknown as WebAssembly.ModuleImports,
    });
    bindings.__wbg_set_wasm(instance.exports);
    (instance.exports.__wbindgen_start as () => void)();
    return bindings;
  })();
  return loading;
}

/**
 * Sends a script as a whole, as Prisma's native engine does: in one transaction, which also records that the migration is
 * finished. If the process is killed meanwhile, the database may still complete it, and the record with it. The adapter's own
 * way splits a script at each semicolon, even within a function's body. Indexes of large tables are built before ({@link
 * buildIndexesOf}).
 */
class WholeScripts extends PrismaPg {
  constructor(
    private readonly connectionString: string,
    private readonly connections: pg.Pool,
    private readonly names: ReadonlyMap<string, string>,
  ) {
    super(connections);
  }

  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      await this.carryOut(script).catch(({ code = "", severity = "ERROR", message, detail, hint }) => {
        throw new DriverAdapterError({ kind: "postgres", code, severity, message, detail, column: undefined, hint });
      });
    };
    return adapter;
  }

  private async carryOut(script: string): Promise<void> {
    const name = this.names.get(script);
    if (name === undefined) {
      await this.connections.query(script);
      return;
    }
    await buildIndexesOf(this.connectionString, script);
    await this.connections.query(await withNote(this.connections, name, script));
  }
}

/** `close` ends the engine's connections too, so that the database can be copied or dropped right after. */
async function openEngine(connectionString: string) {
  const { migrationDirectories } = await migrationList();
  const names = new Map(migrationDirectories.map((own) => [own.migrationFile.content.value, own.path]));
  const { SchemaEngine } = await loadEngine();
  const connections = poolOfMigration(connectionString, LOCK_TIMEOUT_MS);
  const adapter = bindMigrationAwareSqlAdapterFactory(new WholeScripts(connectionString, connections, names));
  const engine = await SchemaEngine.new({ datamodels: await schemaFiles() }, () => undefined, adapter);
  return {
    engine,
    close: async () => {
      engine.free();
      await connections.end();
    },
  };
}

async function schemaFiles(): Promise<[string, string][]> {
  const names = (await readdir(SCHEMA)).filter((name) => name.endsWith(".prisma")).sort();
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => {
      const file = path.join(SCHEMA, name);
      return [file, await readFile(file, "utf8")];
    }),
  );
}

async function migrationList() {
  const folders = (await readdir(MIGRATIONS, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return {
    baseDir: MIGRATIONS,
    lockfile: {
      path: LOCK_FILE,
      content: await readFile(path.join(MIGRATIONS, LOCK_FILE), "utf8").catch(() => 'provider = "postgresql"\n'),
    },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(
      folders.map(async (folder) => ({
        path: folder,
        migrationFile: {
          path: "migration.sql",
          content: {
            tag: "ok" as const,
            value: await readFile(path.join(MIGRATIONS, folder, "migration.sql"), "utf8"),
          },
        },
      })),
    ),
  };
}

const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** The name of the setting that contains an address. */
const settingOf = (url: string): string =>
  url === process.env.DATABASE_DIRECT_URL ? "DATABASE_DIRECT_URL" : "DATABASE_URL";

/** Applies what is missing. */
async function applyOnce(connectionString: string): Promise<void> {
  const { engine, close } = await openEngine(connectionString);
  try {
    await engine.applyMigrations({ migrationsList: await migrationList(), filters: NO_FILTERS });
  } finally {
    await close();
  }
}

/**
 * Marks everything that another process began and did not finish, so that it is applied again.
 * @throws Error when it may be half done.
 */
async function takeOver(guard: pg.Client, { broken }: MigrationState): Promise<void> {
  if (broken.length === 0) return;
  // The database may still be executing that process's script, however long that takes.
  await guard.query("SET lock_timeout = 0; SET statement_timeout = 0");
  const { halfDone } = await noteRolledBack(guard, MIGRATIONS);
  if (halfDone.length > 0) throw new Error(halfDoneLine(halfDone));
}

/**
 * Brings the database up to date: the job queue's schema, then ours. Safe to call from several processes at once. A migration
 * that cannot get its locks within three seconds, or is the victim of a deadlock, is rolled back and retried, each for up to a
 * hundred seconds. Migrations that an earlier process did not finish are applied again.
 * @returns the names of the migrations that were applied now.
 * @throws Error when the database is too new for this version, or a migration may be half done.
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const guard = await connectOrSay(connectionString, settingOf(connectionString));
  let isOver = false;
  const lost = new Promise<never>((_, reject) => {
    guard.once("end", () => {
      if (!isOver) reject(new Error("The connection of this migration was lost, and with it its turn: run it again."));
    });
  });
  try {
    return await Promise.race([migrateInTurn(guard, connectionString), lost]);
  } finally {
    isOver = true;
    await guard.end();
  }
}

/** @param guard holds the turn until it is closed. */
async function migrateInTurn(guard: pg.Client, connectionString: string): Promise<string[]> {
  await beginMigration(guard);
  await refuseShared(guard, connectionString);
  const unfit = await unfitDatabaseLine(guard);
  if (unfit) throw new Error(unfit);
  await takeTurn(guard);
  const before = await readMigrationState(guard);
  const refusal = tooNewLine(before);
  if (refusal) throw new Error(refusal);
  const missingRights = before.applied.length === 0 ? await missingRightsLine(guard) : null;
  if (missingRights) throw new Error(missingRights);
  await takeOver(guard, before);
  const pgPool = poolOfMigration(connectionString, 0);
  await migrateJobQueue({ pgPool, logger: undefined }).finally(() => pgPool.end());
  await guard.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await patiently(
    () => onOwnConnection(connectionString, indexQueues),
    async () => "the queues' indexes",
  );
  await patiently(
    () => applyOnce(connectionString),
    async () => {
      const { rolledBack, halfDone } = await noteRolledBack(guard, MIGRATIONS);
      return halfDone.length > 0 ? null : rolledBack.join(", ");
    },
  );
  const { applied } = await readMigrationState(guard);
  return applied.filter((name) => !before.applied.includes(name));
}

/** The schema as the migrations leave it, so that writing the next one needs no database to compare with. */
const SNAPSHOT = path.join(MIGRATIONS, "schema.snapshot.prisma");

/** Writes `prisma/migrations/<time>_<name>/migration.sql`; null when the schema has not changed. */
async function writeMigration(connectionString: string, name: string): Promise<string | null> {
  // Two schemas are compared; the engine needs a server, but changes nothing there.
  const { engine, close } = await openEngine(connectionString);
  const present = await schemaFiles();
  const snapshot = await readFile(SNAPSHOT, "utf8").catch(() => null);
  const { stdout } = await engine.diff({
    from:
      snapshot === null ? { tag: "empty" } : { tag: "schemaDatamodel", files: [{ path: SNAPSHOT, content: snapshot }] },
    to: { tag: "schemaDatamodel", files: present.map(([file, content]) => ({ path: file, content })) },
    script: true,
    exitCode: null,
    filters: NO_FILTERS,
  });
  await close();
  if (!stdout || stdout.includes("This is an empty migration")) return null;
  const folder = `${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}_${name}`;
  await mkdir(path.join(MIGRATIONS, folder), { recursive: true });
  await writeFile(path.join(MIGRATIONS, folder, "migration.sql"), stdout);
  await writeFile(path.join(MIGRATIONS, LOCK_FILE), 'provider = "postgresql"\n');
  await writeFile(SNAPSHOT, snapshotOf(present));
  return folder;
}

const snapshotOf = (files: [string, string][]): string => files.map(([, content]) => content).join("\n");

/** Compares the database with the migrations of this folder. Changes nothing. */
export async function checkMigrations(connectionString: string): Promise<{ state: MigrationState; exitCode: number }> {
  const client = await connectOrSay(connectionString, settingOf(connectionString));
  try {
    const state = await readMigrationState(client);
    const { tooNew, broken, pending } = state;
    if (tooNew.length > 0) return { state, exitCode: EXIT_CODES.tooNew };
    if (broken.length > 0) return { state, exitCode: EXIT_CODES.unfinished };
    return { state, exitCode: pending.length > 0 ? EXIT_CODES.pending : EXIT_CODES.current };
  } finally {
    await client.end();
  }
}

function showState(state: MigrationState): string {
  const { applied, pending, newer, tooNew, broken } = state;
  const line = (what: string, names: string[]) => (names.length > 0 ? `${what}: ${names.join(", ")}\n` : "");
  return (
    `applied: ${applied.length}\n${line("pending", pending)}${line("unfinished", broken)}` +
    `${line("newer, and harmless for this version", newer)}${line("too new for this version", tooNew)}`
  );
}

const USAGE = `Usage: npm run migrate                  applies the migrations that are pending
       npm run migrate -- --check       says what it would apply, and changes nothing
       npm run migrate -- new <name>    writes a migration for what has changed in the schema`;

/**
 * Refuses a DATABASE_DIRECT_URL that leads to another database than DATABASE_URL: the service would find its own without these
 * migrations. If they cannot be compared, the migrations go on.
 * @throws Error with a one-line message.
 */
export async function refuseOther(): Promise<void> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = process.env;
  if (!DATABASE_URL || !DATABASE_DIRECT_URL) return;
  const line = await compareDirectUrl(DATABASE_URL, DATABASE_DIRECT_URL).catch(() => null);
  if (line) throw new Error(line);
}

async function main(): Promise<void> {
  const url = process.env.DATABASE_DIRECT_URL || process.env.DATABASE_URL;
  if (!url)
    throw new Error("Set DATABASE_URL to the database (for `new`: to any that answers, nothing is written to it).");
  if (!/^postgres(ql)?:\/\//.test(url)) throw new Error(`${settingOf(url)} must be a postgresql:// URL.`);
  const [verb, name, ...surplus] = process.argv.slice(2);
  const isCheck = verb === "--check" || verb === "check";
  if ((verb !== undefined && verb !== "new" && !isCheck) || (isCheck && name !== undefined) || surplus.length > 0) {
    throw new Error(USAGE);
  }
  if (verb === "new") {
    if (!name || !/^[a-z0-9_]+$/.test(name))
      throw new Error("Name the migration: npm run migrate -- new add_something");
    process.stdout.write(`${(await writeMigration(url, name)) ?? "The schema has not changed."}\n`);
    return;
  }
  if (isCheck) {
    // Applies until the state is read: an unreachable database must not look like one with pending migrations.
    process.exitCode = EXIT_CODES.failed;
    await refuseOther();
    const { state, exitCode } = await checkMigrations(url);
    process.stdout.write(showState(state));
    process.exitCode = exitCode;
    return;
  }
  await refuseOther();
  const applied = await migrate(url);
  process.stdout.write(applied.length > 0 ? `applied ${applied.join(", ")}\n` : "up to date\n");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main().catch((thrown: unknown) => {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode ||= 1;
  });
  // The engine leaves its lock's timer behind, which would keep a finished process alive for ten seconds.
  process.exit();
}
