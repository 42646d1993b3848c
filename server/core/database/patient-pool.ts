import pg from "pg";
import { databaseUnavailable, errorCodeOf, isApiError, messageOf, outcomeUnknown } from "../errors";
import { metrics } from "../metrics";
import { defineProcessValue } from "../process";
import { DISK_FULL, isConnectionFailure, isNeverDone } from "./connection-failure";

/** Longest wait of a caller for a database that is unreachable or keeps going away. */
export const WAIT_MAX_MS = 5_000;
const PAUSE_FIRST_MS = 50;
const PAUSE_MAX_MS = 500;

/** A caller's wait. `nothingDone`: whether certainly no part of its request is carried out if the wait fails. */
export type Patience = { startedAt: number; failures: number; nothingDone: boolean };

/** Begins a wait. */
export const startPatience = (nothingDone: boolean): Patience => ({
  startedAt: performance.now(),
  failures: 0,
  nothingDone,
});

/**
 * Milliseconds to pause after a failure, with jitter; null when the wait is over. There is always a second try: if this process
 * stalled, the wait may be over although it has tried only once.
 */
function nextPause(patience: Patience): number | null {
  patience.failures += 1;
  if (patience.failures > 1 && performance.now() - patience.startedAt >= WAIT_MAX_MS) return null;
  const fullMs = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** (patience.failures - 1));
  return fullMs / 2 + (Math.random() * fullMs) / 2;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Pauses before the next try. @throws 503 when the wait is over. */
export async function pauseAfter(cause: unknown, patience: Patience): Promise<void> {
  const pauseMs = nextPause(patience);
  if (pauseMs === null) throw databaseUnavailable({ nothingDone: patience.nothingDone, cause });
  await sleep(pauseMs);
}

const lastFull = defineProcessValue("db.last_full", () => ({ atMs: Number.NEGATIVE_INFINITY }));

/** Notes a failure of a statement for {@link sinceFullMs}. */
export function noteFull(thrown: unknown): void {
  if (errorCodeOf(thrown) === DISK_FULL) lastFull().atMs = performance.now();
}

/**
 * Milliseconds since a statement of this process last found the database's disk full; infinite when none has. The database may
 * then still serve reads, as long as there is room for its write-ahead log.
 */
export const sinceFullMs = (): number => performance.now() - lastFull().atMs;

/** The driver's message for a pool that has ended. */
const OVER = /^Cannot use a pool after calling end/;

/**
 * Whether there is no connection for now. Nothing was done, and every such cause may be temporary: a database that is being renamed
 * or restored, a password or a certificate that is being changed, too many connections or open files.
 */
const isUnreachable = (thrown: unknown): boolean => !OVER.test(messageOf(thrown));

type Connected = (
  thrown: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (broken?: Error | boolean) => void,
) => void;
/** `query` of the driver, in any of its forms. */
export type Query = (...args: unknown[]) => Promise<unknown> | undefined;

/** Whether a statement only reads, so it may be repeated after its response was lost. The queue's functions write. */
function isRead(statement: unknown): boolean {
  const text = typeof statement === "string" ? statement : (statement as Partial<pg.QueryConfig> | null)?.text;
  return typeof text === "string" && /^\s*SELECT\b/i.test(text) && !text.includes("graphile_worker.");
}

/**
 * A pool whose callers survive a restart of the database. Each waits up to {@link WAIT_MAX_MS} for a connection. A read
 * whose connection is lost is repeated; a write whose connection is lost fails with 503 `outcome_unknown`.
 */
export class PatientPool extends pg.Pool {
  private readonly waits: { observe: (seconds: number) => void };

  constructor(name: string, config: pg.PoolConfig) {
    super(config);
    this.waits = metrics().poolWaits.labels(name);
    const queryOnce = super.query.bind(this) as unknown as Query;
    const query: Query = (...args) => queryOnce(...args)?.catch((thrown) => queryAgain(queryOnce, args, thrown));
    this.query = query as unknown as pg.Pool["query"];
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) return this.reach(startPatience(false));
    this.reachFor(startPatience(false), callback);
  }

  /** Waits for a connection as long as `patience` lasts. @throws 503 after that. */
  reach(patience: Patience): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.reachFor(patience, (thrown, client) => (client ? resolve(client) : reject(thrown)));
    });
  }

  /** Connects; does not wait for an unreachable database. @throws the driver's error. */
  reachAtOnce(): Promise<pg.PoolClient> {
    return super.connect();
  }

  private reachFor(patience: Patience, connected: Connected): void {
    super.connect((thrown, client, release) => {
      if (!thrown || !isUnreachable(thrown)) {
        this.waits.observe((performance.now() - patience.startedAt) / 1_000);
        connected(thrown, client, release);
        return;
      }
      const pauseMs = nextPause(patience);
      if (pauseMs !== null) setTimeout(() => this.reachFor(patience, connected), pauseMs);
      else connected(databaseUnavailable({ nothingDone: patience.nothingDone, cause: thrown }), undefined, release);
    });
  }
}

/** Repeats a statement that failed with `first`, if repeating it cannot carry it out twice. @throws 503, `first` */
async function queryAgain(queryOnce: Query, args: unknown[], first: unknown): Promise<unknown> {
  const patience = startPatience(false);
  for (let thrown = first; ; ) {
    if (isApiError(thrown) || !isConnectionFailure(thrown)) throw thrown;
    noteFull(thrown);
    if (!isRead(args[0]) && !(await isNeverDone(thrown))) throw outcomeUnknown(thrown);
    await pauseAfter(thrown, patience);
    try {
      return await queryOnce(...args);
    } catch (again) {
      thrown = again;
    }
  }
}
