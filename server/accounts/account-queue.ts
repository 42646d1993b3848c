/**
 * A queue per account in this process. A request waiting for an account's lock holds a connection, so without this queue one
 * account could use up the pool.
 */
import { isDatabaseUnavailable, overloaded, rateLimited } from "../core/errors";
import { defineProcessValue } from "../core/process";

/**
 * Limit of one account's waiting requests: more than a client has open at once, and few enough to be served in time.
 */
const WAITING_MAX = 100;
/** As long as a caller waits for the database; after that the caller may be gone. */
const WAIT_MAX_MS = 5_000;
const RETRY_AFTER_S = 1;

type Waiting = { begin: () => void; refuse: (reason: unknown) => void };

/** Accounts with work under way, and the requests that wait for it to end. */
const queues = defineProcessValue("accounts.queues", () => new Map<string, Set<Waiting>>());

const tooMany = () =>
  rateLimited("Too many changes for this account are in progress. Nothing was carried out; try again.", {
    reason: "too_many_at_once",
    details: { limit: WAITING_MAX },
    retryAfterS: RETRY_AFTER_S,
  });

/** @throws 429 when the queue is full, 503 when its front was not reached in time. */
function waitIn(queue: Set<Waiting>): Promise<void> {
  if (queue.size >= WAITING_MAX) throw tooMany();
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      queue.delete(waiting);
    };
    const waiting: Waiting = {
      begin: () => {
        leave();
        resolve();
      },
      refuse: (reason) => {
        leave();
        reject(reason);
      },
    };
    const timer = setTimeout(() => waiting.refuse(overloaded()), WAIT_MAX_MS);
    queue.add(waiting);
  });
}

/**
 * Does `work`, which takes a connection to the database, after all earlier work of the same account.
 * @throws 429 `too_many_at_once` when 100 wait already, 503 `overloaded` when its turn did not come within 5 seconds, 503
 * `database_unavailable` when the preceding work found no database. In all cases `work` was not begun.
 */
export async function inAccountQueue<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
  const queue = queues().get(accountId);
  if (queue) await waitIn(queue);
  else queues().set(accountId, new Set());
  try {
    return await work();
  } catch (thrown) {
    // This request, like those behind it, has waited for the database as long as a caller may.
    if (isDatabaseUnavailable(thrown)) for (const waiting of queues().get(accountId) ?? []) waiting.refuse(thrown);
    throw thrown;
  } finally {
    const [next] = queues().get(accountId) ?? [];
    if (next) next.begin();
    else queues().delete(accountId);
  }
}
