/**
 * Waiting jobs that are delegated to running jobs of their accounts, in memory and up to a limit. They are also in the queue,
 * which runs those that no running job takes.
 */

/** `dueMs`: when the queue runs the job, by this process's clock; until then it can be taken. */
export type WaitingJob = {
  id: string;
  endpointId: string;
  round: number;
  triesMade: number | undefined;
  deliveries: number;
  dueMs: number;
};

/** Delegated jobs kept in memory; the rest wait in the queue only. A hundred thousand take some 20 MB. */
const MAX = { endpoint: 10_000, account: 25_000, total: 100_000 };

/** `queues`: jobs by endpoint, in the order of the endpoints' turns. `count`: jobs in all of them. */
type AccountJobs = { queues: Map<string, WaitingJob[]>; count: number };

export type DelegatedJobs = {
  /** @returns false when a limit is reached. */
  add: (accountId: string, job: WaitingJob, nowMs: number) => boolean;
  /** The account's endpoints with jobs, in the order of their turns. */
  endpointsOf: (accountId: string) => string[];
  /**
   * Takes the endpoint's oldest jobs of one round and try that are not due yet, with at most `max` deliveries, then moves the
   * endpoint to the end of the turns.
   */
  takeAlike: (accountId: string, endpointId: string, nowMs: number, max: number) => WaitingJob[];
  /** Drops the account's jobs. */
  drop: (accountId: string) => void;
};

export function createDelegatedJobs(): DelegatedJobs {
  const accounts = new Map<string, AccountJobs>();
  let total = 0;

  function add(accountId: string, job: WaitingJob, nowMs: number): boolean {
    const account = accounts.get(accountId) ?? { queues: new Map(), count: 0 };
    const isWithinLimits = () =>
      (account.queues.get(job.endpointId)?.length ?? 0) < MAX.endpoint &&
      account.count < MAX.account &&
      total < MAX.total;
    if (!isWithinLimits()) for (const queue of account.queues.values()) dropDue(account, queue, nowMs);
    if (!isWithinLimits()) return false;
    accounts.set(accountId, account);
    const queue = account.queues.get(job.endpointId) ?? [];
    account.queues.set(job.endpointId, queue);
    queue.push(job);
    account.count += 1;
    total += 1;
    return true;
  }

  function dropOldest(account: AccountJobs, queue: WaitingJob[]): void {
    queue.shift();
    account.count -= 1;
    total -= 1;
  }

  /** Drops the oldest jobs as long as they are due: the queue runs them. */
  function dropDue(account: AccountJobs, queue: WaitingJob[], nowMs: number): void {
    for (let next = queue[0]; next && next.dueMs <= nowMs; next = queue[0]) dropOldest(account, queue);
  }

  function takeAlike(accountId: string, endpointId: string, nowMs: number, max: number): WaitingJob[] {
    const account = accounts.get(accountId);
    const queue = account?.queues.get(endpointId);
    if (!account || !queue) return [];
    const taken: WaitingJob[] = [];
    let deliveries = 0;
    dropDue(account, queue, nowMs);
    for (let next = queue[0]; next; next = queue[0]) {
      const [first = next] = taken;
      if (first.triesMade !== next.triesMade || first.round !== next.round) break;
      deliveries += next.deliveries;
      if (taken.length > 0 && deliveries > max) break;
      taken.push(next);
      dropOldest(account, queue);
      dropDue(account, queue, nowMs);
    }
    account.queues.delete(endpointId);
    if (queue.length > 0) account.queues.set(endpointId, queue);
    return taken;
  }

  return {
    add,
    takeAlike,
    endpointsOf: (accountId) => [...(accounts.get(accountId)?.queues.keys() ?? [])],
    drop: (accountId) => {
      total -= accounts.get(accountId)?.count ?? 0;
      accounts.delete(accountId);
    },
  };
}
