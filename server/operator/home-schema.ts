/** Operator: the state of the installation at a glance. */
import { z } from "zod";
import { DateTime } from "../core/wire";

const count = () => z.number().int();

const Queue = z.object({
  task: z.string(),
  due: count(),
  running: count(),
  later: count(),
  given_up: count().describe("Jobs that failed on every try."),
  lag_s: z.number().describe("For how long the oldest due job has waited."),
});

const WorkerState = z.object({
  id: z.string(),
  started_at: DateTime,
  heartbeat_age_s: z.number(),
  is_alive: z.boolean(),
});

export const OperatorHome = z.object({
  failing: z.array(z.string()).describe("Readiness checks that fail; empty: the installation does its work."),
  queues: z.array(Queue).describe("Tasks that have jobs, the longest wait first."),
  throttled: count().describe("Messages that wait for a throughput limit."),
  workers: z.array(WorkerState),
  has_usable_route: z
    .boolean()
    .describe("Whether an active route has a configured provider; otherwise nothing can be sent."),
  waiting_prefixes: z
    .array(z.string())
    .describe(
      "Prefixes to which messages wait, since every provider of their routes is drained or failing; empty: that of the route to all destinations.",
    ),
  pending_senders: count(),
  suspended_accounts: count(),
  unusual_traffic: z
    .array(z.object({ account_id: z.string(), account: z.string(), country: z.string().nullable() }))
    .describe("Accounts with an alert on traffic to a country that is raised, the latest first."),
});
export type OperatorHome = z.output<typeof OperatorHome>;
