import { afterEach, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { keepLease } from "./lease";
import { keepTakingOver } from "./take-over";

const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const idsOf = async () => (await pool().query<{ id: string }>("SELECT id FROM workers")).rows.map(({ id }) => id);

/** Writes the heartbeat of a worker, by a clock that is `aheadS` seconds behind that of the database now. */
const beat = (id: string, aheadS: number) =>
  pool().query(
    `INSERT INTO workers (id, seen_at) VALUES ($1, clock_timestamp() - $2 * interval '1 second')
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
    [id, aheadS],
  );

test("a step of the database's clock declares nobody dead who goes on beating, and a dead one is found all the same", async () => {
  // As if the clock had been set forward, or back, right after each heartbeat; none of them holds a lock.
  const alive = { forward: 90, back: -90 };
  const beats = setInterval(() => {
    for (const [id, aheadS] of Object.entries(alive)) void beat(id, aheadS);
  }, 500);
  stops.push(() => clearInterval(beats));
  for (const id of ["dead", "dead-in-future"]) await beat(id, id === "dead" ? 0 : -90);
  stops.push(await keepLease(() => undefined));
  stops.push(keepTakingOver());
  await expect.poll(async () => (await idsOf()).filter((id) => id.startsWith("dead"))).toEqual([]);
  expect(await idsOf()).toEqual(expect.arrayContaining(Object.keys(alive)));
});
