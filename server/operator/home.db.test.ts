import { expect, test } from "vitest";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import { drainProvider } from "../providers/service";
import { getHome } from "./home";

test("an operator sees the workers with their heartbeat, the jobs, and what waits for a decision; nobody else does", async () => {
  const { accountId, actor } = await makeAccount();
  await expect(getHome(actor)).rejects.toMatchObject({ status: 403 });
  await pool().query("INSERT INTO senders (id, account_id, sender_id, type) VALUES ($1, $2, 'WAITS', 'alphanumeric')", [
    newId("sender"),
    accountId,
  ]);
  await pool().query(
    `INSERT INTO workers (id, pools, started_at, seen_at) VALUES
       ('alive', '{}', clock_timestamp() - interval '2 hours', clock_timestamp()),
       ('gone', '{}', clock_timestamp() - interval '1 hour', clock_timestamp() - interval '1 minute'),
       ('history', '{}', clock_timestamp() - interval '3 hours', clock_timestamp() - interval '1 hour')`,
  );
  await pool().query("SELECT graphile_worker.add_job('dispatch_messages', '{\"messageIds\":[]}'::json)");
  const home = await getHome({ kind: "system", name: "admin" });
  expect(home).toMatchObject({ pending_senders: 1, suspended_accounts: 0, throttled: 0 });
  expect(home).toMatchObject({ has_usable_route: false, waiting_prefixes: [] });
  expect(home.workers).toMatchObject([
    { id: "alive", is_alive: true },
    { id: "gone", is_alive: false },
  ]);
  expect(home.queues).toMatchObject([{ task: "dispatch_messages", due: 1, running: 0, given_up: 0 }]);
});

test("an operator sees the routes on which messages wait, because their providers were drained", async () => {
  await makeRoute({ prefix: "" });
  await makeRoute({ prefix: "49" });
  await makeRoute({ prefix: "44", chain: ["twilio"] });
  const operator = { kind: "system", name: "admin" } as const;
  await drainProvider(operator, { id: "sandbox", is_drained: true });
  // The state that was read before is shown for two more seconds.
  await expect
    .poll(() => getHome(operator), { timeout: 60_000 })
    .toMatchObject({ has_usable_route: true, waiting_prefixes: ["", "49"] });
});
