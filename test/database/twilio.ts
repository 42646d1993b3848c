/** The kit of a test file about a provider that may be unavailable: an emulated Twilio, routes to it, and a worker's work. */
import { afterAll, afterEach, beforeAll } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool, prisma } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { settleAttempts } from "@/server/messages/dispatch/run-attempt";
import { serveThrottleQueue } from "@/server/messages/dispatch/serve-throttle-queue";
import { getMessage } from "@/server/messages/read";
import { updateProviderHealth } from "@/server/providers/health/provider-health";
import { invalidateProviders, providerTable } from "@/server/providers/registry";
import { dispatchTasks } from "@/worker/tasks";
import type { Carrier } from "../carriers/carrier";
import { startTwilio } from "../carriers/twilio";
import { runJobs } from "./queue";
import { makeRoute } from "./routes";
import { makeAccount } from "./seed";

/** Available once the tests run. `onlyTwilio`: the id of a route without fallback; `twilioFirst`: with the sandbox as fallback. */
type TwilioOfFile = { twilio: Carrier; onlyTwilio: number; twilioFirst: number };

/** Starts Twilio for the tests of a file. After each, all providers are available and nothing waits. */
export function twilioOfFile(): TwilioOfFile {
  const own = {} as TwilioOfFile;
  beforeAll(async () => {
    own.twilio = await startTwilio();
    Object.assign(process.env, own.twilio.environment);
    own.onlyTwilio = await makeRoute({ prefix: "1", chain: ["twilio"] });
    own.twilioFirst = await makeRoute({ prefix: "1", chain: ["twilio", "sandbox"] });
  });
  afterAll(() => own.twilio.close());
  afterEach(async () => {
    for (const table of ["providers", "waiting_messages", "pace_buckets"]) await pool().query(`DELETE FROM ${table}`);
    await pool().query("DELETE FROM graphile_worker._private_jobs");
    invalidateProviders();
  });
  return own;
}

type Column = "is_drained" | "max_segments_per_second" | "probes_left";

/** Sets a column of a provider. */
export async function setProvider(column: Column, value: unknown, provider = "twilio"): Promise<void> {
  await pool().query(
    `INSERT INTO providers (id, ${column}) VALUES ($2, $1) ON CONFLICT (id) DO UPDATE SET ${column} = excluded.${column}`,
    [value, provider],
  );
  invalidateProviders();
}

/** Ends the open breaker's wait a second ago, which exceeds the difference between clocks. */
export const endWait = () =>
  pool()
    .query("UPDATE providers SET open_until = now() - interval '1 second' WHERE id = 'twilio'")
    .then(invalidateProviders);

/** A phone number that no other test has. */
export const newNumber = () => `+1415${String(Math.floor(Math.random() * 1e7)).padStart(7, "0")}`;

/** Sends from a new account. */
export async function sendTo(to: string, routeId: number) {
  const account = await makeAccount();
  const input = { to, from: account.senderId, body: "Hello", route_id: routeId };
  const { id } = await sendMessage(account.actor, input, plainRequest());
  return { id, account, read: () => getMessage(account.actor, id) };
}

/** Runs the work of a worker until nothing is due. */
export async function work(): Promise<void> {
  await updateProviderHealth();
  for (let turn = 0; turn < 3; turn += 1) {
    await runJobs(dispatchTasks);
    await serveThrottleQueue();
    await settleAttempts();
  }
}

/** The state of Twilio, with the probes that it has left. */
export async function stateOf() {
  const [table, row] = await Promise.all([
    providerTable(),
    prisma().provider.findUnique({ where: { id: "twilio" }, select: { probesLeft: true } }),
  ]);
  const state = table.stateOf("twilio");
  return state && { ...state, ...row };
}
