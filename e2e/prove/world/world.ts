/** The environment of the proof: started in order, and always stopped in reverse order. */
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Database, openDatabase } from "@/e2e/support/books";
import { runCommand, runCommandOf } from "@/e2e/support/processes";
import { ensureBuilt } from "@/scripts/build";
import { freePort } from "@/scripts/free-port";
import type { InboundMessage } from "@/test/carriers/carrier";
import { keepsStatements, type Pooler, startPooler } from "@/test/database/servers/pooler";
import { type Gate, startGate } from "../faults/gate";
import { keepHistory } from "../judge/history";
import type { Decide } from "../load/bans";
import { CARRIERS, type ProofCarriers, type ProvenCarrier, startProofCarriers } from "./carriers";
import { type Customer, makeCustomers, makeRoutes, makeSpares, type Spare } from "./customers";
import { type Fleet, PROCESS_NAMES, type ProcessName, startFleet } from "./fleet";
import { type Limited, makeLimited } from "./limited";
import { decideWith } from "./operator";
import { signInAll } from "./people";
import { receiverNames } from "./receiver-names";
import { type Receivers, startReceivers } from "./receivers";
import { type Server, startServer } from "./server";
import { PRESENT_VERSION, versionFolder } from "./version";

/** The policy for attempts with an unknown outcome. */
export type Policy = "fallback" | "hold";

/** The version that is proven, and the one before it in an upgrade. */
export type Version = "present" | "former";

export type World = {
  server: Server;
  /** The proof's own connection to the database; it survives restarts. */
  database: Database;
  gates: Record<ProcessName, Gate>;
  /** PgBouncer between the gates and the database; null without one. */
  pooler: Pooler | null;
  /** The pooler's way to the database. */
  behindPooler: Gate;
  fleet: Fleet;
  carriers: ProofCarriers;
  /** Passes a message from a handset on to a web process, by its place among `urls`. @returns whether it was taken. */
  passOn: (carrier: ProvenCarrier, message: InboundMessage, web: number) => Promise<boolean>;
  receivers: Receivers;
  customers: Customer[];
  /** Customers with limits; null in an upgrade, because earlier versions lack some of the limits. */
  limited: Limited | null;
  spares: Spare[];
  /** The cookies of a session of the account's owner; only customers have one. */
  cookieOf: (accountId: string) => string;
  /** Lets the operator suspend or activate an account. */
  decide: Decide;
  /** Addresses of the web processes. */
  urls: string[];
  /** Starts the database again and points every proxy at its new port. */
  restart: Server["restart"];
  /**
   * Loses the database's machine and promotes the standby. Every proxy leads there from the loss on, `aheadMs` before it takes
   * writes. @returns milliseconds from the loss until it takes writes.
   */
  failOver: (aheadMs: number) => Promise<number>;
  /** Applies the migrations of this version. @returns the command's output. */
  migrate: () => Promise<string>;
  /** Stops a process, and starts one of that version in its place. Resolves when it is up. */
  replace: (name: ProcessName, version: Version) => Promise<void>;
  /** Waits until every process is up. @throws Error when one is not up within a minute. */
  allReady: () => Promise<void>;
  /** Whether the service's own ledger check passes. */
  checkLedger: () => Promise<string>;
  /** The output of the service's own check of the audit log. */
  checkAudit: () => Promise<string>;
};

export type WorldOptions = {
  seed: number;
  policy: Policy;
  timeoutMs: number;
  /** Whether the database has a synchronous standby. */
  hasStandby: boolean;
  /** Whether the processes reach the database through PgBouncer. */
  hasPooler: boolean;
  /** A commit, or a folder with its build: the version that everything starts with; null: the present one. */
  from: string | null;
  signal: AbortSignal;
};

const DATABASE = "prove";
/** Fewer connections than the processes have, so that they share them. */
const POOLER_SETTINGS = { default_pool_size: "20" };
const READY_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs `work` in a new world, which is removed afterwards. */
export async function withWorld<Result>(
  options: WorldOptions,
  work: (world: World) => Promise<Result>,
): Promise<Result> {
  const ends: (() => Promise<unknown>)[] = [];
  /** Starts a resource that is closed at the end, in reverse order. */
  const keep = async <Started>(starting: Promise<Started>, end: (started: Started) => Promise<unknown>) => {
    const started = await starting;
    ends.push(() => end(started));
    options.signal.throwIfAborted();
    return started;
  };
  try {
    return await work(await build(options, keep));
  } finally {
    for (let end = ends.pop(); end; end = ends.pop()) await end().catch(() => undefined);
  }
}

type Keep = <Started>(starting: Promise<Started>, end: (started: Started) => Promise<unknown>) => Promise<Started>;

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "messaging-prove-"));
  // The database's user must be able to enter the folder.
  await chmod(folder, 0o755);
  return folder;
}

/** Paths of the receipt URLs that operators enter at the carriers: they follow from the secret key. */
async function readReceiptPaths(databaseUrl: string, secretKey: string): Promise<Record<ProvenCarrier, string>> {
  Object.assign(process.env, { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey });
  const { receiptUrlOf } = await import("@/server/providers/receipt-url");
  const paths = CARRIERS.map((carrier) => [carrier, new URL(receiptUrlOf(carrier, 0)).pathname] as const);
  return Object.fromEntries(paths) as Record<ProvenCarrier, string>;
}

async function build(options: WorldOptions, keep: Keep): Promise<World> {
  const { seed, policy, timeoutMs, hasStandby, hasPooler, from } = options;
  await ensureBuilt();
  const former = from === null ? PRESENT_VERSION : (await keep(versionFolder(from), (made) => made.remove())).folder;
  const folder = await keep(openFolder(), (made) => rm(made, { recursive: true, force: true }));
  const server = await keep(startServer(folder, hasStandby, from !== null), (made) => made.stop());
  const own = await keep(startGate(server.port()), (made) => made.close());
  const maintenance = await openDatabase(server.url("postgres"));
  await maintenance.rows(`CREATE DATABASE ${DATABASE}`).finally(maintenance.close);
  const databaseUrl = server.url(DATABASE);
  await runCommandOf(former, "migrate.mjs", databaseUrl);
  const database = await keep(openDatabase(own.url(databaseUrl, "")), (made) => made.close());
  await keepHistory(database);
  await makeRoutes(database);

  const carriers = await keep(startProofCarriers(seed, timeoutMs), (made) => made.close());
  const receivers = await keep(startReceivers(seed, receiverNames()), (made) => made.close());
  const gates = {} as Record<ProcessName, Gate>;
  const ports = {} as Record<"web-1" | "web-2", number>;
  const straight = await keep(startGate(server.port()), (made) => made.close());
  const pooler = hasPooler
    ? await keep(startPooler(straight.url(databaseUrl, "pooler", "name"), POOLER_SETTINGS), (made) => made.stop())
    : null;
  for (const name of PROCESS_NAMES)
    gates[name] = await keep(startGate(pooler?.port ?? server.port()), (made) => made.close());
  for (const name of ["web-1", "web-2"] as const) ports[name] = await freePort();
  const urls = [`http://127.0.0.1:${ports["web-1"]}`, `http://127.0.0.1:${ports["web-2"]}`];

  const secretKey = randomBytes(32).toString("base64");
  const receiptPaths = await readReceiptPaths(databaseUrl, secretKey);
  const environmentOf = (name: ProcessName, process: string): NodeJS.ProcessEnv => {
    const isSecond = name.endsWith("2");
    return {
      PATH: globalThis.process.env.PATH,
      NODE_ENV: "production",
      DATABASE_URL: gates[name].url(databaseUrl, process, pooler ? "name" : "option"),
      ...(pooler && {
        DATABASE_DIRECT_URL: straight.url(databaseUrl, process),
        DATABASE_STATEMENT_NAMES: String(keepsStatements),
      }),
      SECRET_KEY: secretKey,
      PUBLIC_URL: urls[isSecond ? 1 : 0],
      PORT: String(ports[isSecond ? "web-2" : "web-1"]),
      WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
      ON_UNKNOWN_OUTCOME: policy,
      PROVIDER_TIMEOUT_MS: String(timeoutMs),
      ...carriers.environment,
    };
  };
  const folders = new Map<ProcessName, string>(PROCESS_NAMES.map((name) => [name, former]));
  const folderOf = (name: ProcessName) => folders.get(name) ?? PRESENT_VERSION;
  const fleet = await keep(Promise.resolve(startFleet(environmentOf, folderOf)), (made) => made.close());
  for (const name of PROCESS_NAMES) fleet.start(name);
  const allReady = async () => {
    const deadline = Date.now() + READY_WITHIN_MS;
    for (const name of PROCESS_NAMES) {
      while (!(await fleet.isReady(name))) {
        if (Date.now() > deadline) throw new Error(`${name} is not up:\n${fleet.outputOf(name)}`);
        await pause(LOOK_EVERY_MS);
      }
    }
  };
  await allReady();
  const pointTo = (port: number) => {
    for (const gate of [own, straight, ...(pooler ? [] : Object.values(gates))]) gate.pointTo(port);
  };
  const ground = { url: urls[0] ?? "", database, receivers };
  const customers = await makeCustomers(ground);
  const limited = from === null ? await makeLimited(ground) : null;
  const spares = await makeSpares(database);
  const cookies = from === null ? await signInAll(ground, customers) : new Map();
  // The command fails when it finds a fault.
  const ownCheck = (subject: "ledger" | "audit") =>
    runCommand("admin.mjs", server.url(DATABASE), subject, "check", "--json").catch((thrown: Error) => thrown.message);

  return {
    server,
    database,
    gates,
    pooler,
    behindPooler: straight,
    fleet,
    carriers,
    passOn: (carrier, message, web) => carriers.passOn(carrier, message, `${urls[web]}${receiptPaths[carrier]}`),
    receivers,
    customers,
    limited,
    spares,
    cookieOf: (accountId) => cookies.get(accountId) ?? "",
    decide: decideWith((...args) => runCommand("admin.mjs", server.url(DATABASE), ...args)),
    urls,
    allReady,
    restart: async (mode, downMs) => {
      await server.restart(mode, downMs);
      pointTo(server.port());
    },
    failOver: async (aheadMs) => {
      const lostAt = performance.now();
      await server.failOver(aheadMs, pointTo);
      return performance.now() - lostAt;
    },
    migrate: () => runCommand("migrate.mjs", server.url(DATABASE)),
    replace: async (name, version) => {
      await fleet.stop(name);
      folders.set(name, version === "present" ? PRESENT_VERSION : former);
      fleet.start(name);
      await allReady();
    },
    checkLedger: () => ownCheck("ledger"),
    checkAudit: () => ownCheck("audit"),
  };
}
