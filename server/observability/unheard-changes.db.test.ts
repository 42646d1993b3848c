import { afterEach, describe, expect, test, vi } from "vitest";
import { hasPooler, type Pooler, startPooler } from "@/test/database/servers/pooler";
import { REGISTRY } from "@/test/database/simulated-workers";

let pooler: Pooler | null = null;

afterEach(async () => {
  await pooler?.stop();
  pooler = null;
});

/** The finding of a web process with these addresses, and the warnings that it logs. */
async function findOut(settings: Record<string, string>) {
  Object.assign(process.env, settings);
  vi.resetModules();
  delete (globalThis as { [key: symbol]: unknown })[REGISTRY];
  const logger = await import("../core/log");
  const logged = vi.spyOn(logger, "log").mockImplementation(() => undefined);
  const { warnOfUnheardChanges } = await import("./pooler-check");
  return { hears: await warnOfUnheardChanges(), warnings: logged.mock.calls.map(([, event]) => event) };
}

test("a web process whose address leads straight to the database hears of changes", async () => {
  expect(await findOut({})).toEqual({ hears: true, warnings: [] });
});

describe.skipIf(!hasPooler)("behind a pooler in transaction mode (skipped without pgbouncer)", () => {
  test("it hears of none and says so, until it is given the address past it", async () => {
    const past = process.env.DATABASE_URL ?? "";
    pooler = await startPooler(past, {});
    expect(await findOut({ DATABASE_URL: pooler.through(past) })).toEqual({
      hears: false,
      warnings: ["live.not_heard"],
    });
    expect(await findOut({ DATABASE_DIRECT_URL: past })).toEqual({ hears: true, warnings: [] });
  });
});
