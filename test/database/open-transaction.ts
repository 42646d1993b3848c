import { type Tx, transaction } from "@/server/core/db";

/** A transaction that stays open after `work` until it is released. */
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
