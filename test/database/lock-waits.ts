/** Transactions that hold locks, and statements of the test's database that wait for them. */
import { expect } from "vitest";
import { pool, type Tx, transaction } from "@/server/core/db";

/** The waiting statements that contain `text`, each with the database process that runs it. */
export async function lockWaits(text = ""): Promise<{ pid: number }[]> {
  const { rows } = await pool().query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid() AND strpos(query, $1) > 0`,
    [text],
  );
  return rows;
}

/** Waits until such statements wait, `count` of them if given. */
export const untilWaiting = (text = "", count?: number): Promise<unknown> =>
  expect
    .poll(async () => (await lockWaits(text)).length, { interval: 5 })
    .toSatisfy((waiting: number) => (count === undefined ? waiting > 0 : waiting === count));

/** Opens a transaction that stays open after `work` until it is released, however long that takes. */
export async function openTransaction<Result>(work: (tx: Tx) => Promise<Result>) {
  let commit = () => {};
  const released = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let begun: (result: Result) => void = () => {};
  const done = new Promise<Result>((resolve) => {
    begun = resolve;
  });
  const ended = transaction(async (tx) => {
    await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    begun(await work(tx));
    await released;
  });
  const result = await done;
  return {
    result,
    commit: async () => {
      commit();
      await ended;
    },
  };
}
