/** A process that reads one database as the API does, and measures how long each read takes. */
import { getUsage } from "@/server/accounts/service";
import type { AccountActor } from "@/server/core/actor";
import { markLists } from "@/server/lists/tasks";
import { listMessages } from "@/server/messages/lists/list-messages";
import { getMessage } from "@/server/messages/read";
import { listDeliveries } from "@/server/webhooks/history/list-deliveries";
import { listEvents } from "@/server/webhooks/history/list-events";

export type ReadsPlan = { accountId: string; endpointId: string; messages: number; times: number };
/** Median milliseconds of each read. */
export type ReadsResult = Record<string, number>;

const LIMIT = 20;

const ACTOR = { kind: "apiKey", keyId: "", scopes: [], limits: { daily: null, monthly: null } } as const;

function readsOf({ accountId, endpointId, messages }: ReadsPlan): Record<string, () => Promise<unknown>> {
  const actor: AccountActor = { ...ACTOR, accountId };
  const last = Math.floor(messages / LIMIT);
  const list = (page: number) => () => listMessages(actor, { page, limit: LIMIT });
  const aMessage = async (): Promise<() => Promise<unknown>> => {
    const page = 1 + Math.floor(Math.random() * Math.min(last, 500));
    const { items } = await listMessages(actor, { page, limit: LIMIT });
    return () => getMessage(actor, items[0]?.id ?? "");
  };
  let found: Promise<() => Promise<unknown>> | null = null;
  return {
    message: async () => {
      found ??= aMessage();
      return (await found)();
    },
    "list, page 1": list(1),
    "list, page 1,000": list(Math.min(1_000, last)),
    "list, middle page": list(Math.floor(last / 2)),
    "list, last page": list(last),
    "events, page 1": () => listEvents(actor, { page: 1, limit: LIMIT }),
    "deliveries, page 1": () => listDeliveries(actor, { id: endpointId, page: 1, limit: LIMIT }),
    usage: () => getUsage(actor, { period: "month" }),
  };
}

async function measure(plan: ReadsPlan): Promise<ReadsResult> {
  const result: ReadsResult = {};
  for (const [name, read] of Object.entries(readsOf(plan))) {
    const times: number[] = [];
    await read();
    for (let n = 0; n < plan.times; n += 1) {
      const startedAt = performance.now();
      await read();
      times.push(performance.now() - startedAt);
    }
    times.sort((one, other) => one - other);
    result[name] = times[Math.floor(times.length / 2)] ?? 0;
  }
  return result;
}

let isMarked = false;
process.on("message", async (plan: ReadsPlan) => {
  if (!isMarked) await markLists();
  isMarked = true;
  process.send?.(await measure(plan));
});
