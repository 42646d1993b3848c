/** Fills a database with finished messages, and compares the books with the service's own checks. */
import { rebuildUsage } from "@/server/accounts/rebuild-usage";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { rebuildListTotals } from "@/server/lists/rebuild";
import { fillMessages } from "./fill-statements";
import { makeCustomer, makeDatabase, openClient, openFolder, openServer, serviceSettings } from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

/** Messages between two lines of progress. */
const NOTED_EACH = 500_000;

async function run({ backlog, connections }: Options, stage: Stage): Promise<Outcome> {
  const folder = await openFolder(stage);
  const server = await openServer(stage, folder, connections);
  const customer = makeCustomer();
  const url = await makeDatabase(server, "messaging", customer);
  Object.assign(process.env, serviceSettings(url, 1));
  const database = await openClient(stage, url);
  await stage.keep(
    async () => pool(),
    (connected) => connected.end(),
  );
  stage.say(`Filling ${backlog} messages`);
  const startedAt = performance.now();
  const { messages } = await fillMessages(database, customer, backlog, (count) => {
    if (count % NOTED_EACH === 0) stage.say(`${count} messages`);
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const { rows } = await database.query<{ size: string }>(
    "SELECT pg_size_pretty(pg_database_size(current_database())) AS size",
  );
  stage.say("Comparing the books");
  const { drifted } = await checkLedger();
  const wrong = { drifted: drifted.length, usage: await rebuildUsage(), lists: await rebuildListTotals() };
  const ok = Object.values(wrong).every((count) => count === 0);
  const figures = { workload: "fill", messages, seconds, perSecond: messages / seconds, size: rows[0]?.size, wrong };
  const text = `${messages} messages with all that belongs to them in ${seconds.toFixed(0)} s (${figures.perSecond.toFixed(0)} per second), ${figures.size}
${ok ? "the ledger, usage and lengths of lists agree" : `THE BOOKS DO NOT AGREE: ${JSON.stringify(wrong)}`}\n`;
  return { ok, text, figures };
}

export const fill: Workload = {
  summary: "fills a database with --backlog finished messages, and compares the books",
  run,
};
