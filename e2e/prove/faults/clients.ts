/** Clients of the database that take every connection which the service does not hold. */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

const AT_ONCE = 4;
const AGAIN_AFTER_MS = 10;

/** Takes connections as they become free for `forMs`, and closes them all. @returns how many there were. */
export async function crowdOut(databaseUrl: string, forMs: number): Promise<number> {
  const held: pg.Client[] = [];
  const until = performance.now() + forMs;
  const take = async () => {
    while (performance.now() < until) {
      const client = new pg.Client({ connectionString: databaseUrl });
      client.on("error", () => undefined);
      // Refused: there is no room for now.
      await client.connect().then(
        () => held.push(client),
        () => pause(AGAIN_AFTER_MS),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  await Promise.all(held.map((client) => client.end().catch(() => undefined)));
  return held.length;
}
