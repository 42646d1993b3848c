/**
 * The sandbox, the built-in provider: it takes messages and reports on them like a real one, and sends nothing. The last digit of a
 * scenario number, +1555010000x, chooses its behavior (docs/scenario-numbers.md). Its receipts wait in the job queue, so
 * they survive a restart.
 */
import { addJob } from "../../core/add-jobs";
import { createBatcher } from "../../core/batcher";
import { now } from "../../core/clock";
import { transaction } from "../../core/db";
import { newId } from "../../core/ids";
import type { ReceiptReport } from "../../core/jobs";
import { defineProcessValue } from "../../core/process";
import type { Adapter, SendOutcome, SendRequest } from "../port";

const SCENARIO_PREFIX = "+1555010";
/** Long enough for the response to the send to come before the receipt. */
const AT_ONCE_DELAY_MS = 100;
const DELIVERY_DELAY_MS = 1_000;
const LATE_DELAY_MS = 5_000;
/** Timeout of the scenario without a response. */
const TIMEOUT_MS = 10_000;
const RECEIPTS_MAX = 1_000;

type DueReceipt = { afterMs: number; report: ReceiptReport };

/** A receipt that is due `afterMs` after the message was taken; its own time is later than that by `skewMs`. */
const receiptAfter = (id: string, afterMs: number, status: ReceiptReport["status"], skewMs = 0): DueReceipt => ({
  afterMs,
  report: {
    providerMessageId: id,
    status,
    code: null,
    detail: null,
    occurredAt: new Date(now().getTime() + afterMs + skewMs).toISOString(),
  },
});

const accepted = (providerMessageId: string): SendOutcome => ({
  kind: "accepted",
  providerMessageIds: [providerMessageId],
});

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Scenario = (id: string, post: (receipts: DueReceipt[]) => Promise<void>) => Promise<SendOutcome>;

/** Behavior of the sandbox by the last digit of a scenario number. */
const scenarios: Record<string, Scenario> = {
  "1": async (id, post) => {
    await post([receiptAfter(id, AT_ONCE_DELAY_MS, "delivered")]);
    return accepted(id);
  },
  "2": async (id, post) => {
    await post([receiptAfter(id, LATE_DELAY_MS, "delivered")]);
    return accepted(id);
  },
  "3": async () => ({ kind: "refused", code: "invalid_recipient", detail: "The number does not exist." }),
  "4": async () => ({
    kind: "retryable",
    code: "http_503",
    detail: "The provider responded with 503.",
    fault: "provider",
  }),
  "5": async () => {
    await pause(TIMEOUT_MS);
    return { kind: "unknown", code: "timeout", detail: `The provider did not respond within ${TIMEOUT_MS / 1_000} s.` };
  },
  "6": async (id, post) => {
    await post([receiptAfter(id, 0, "delivered")]);
    // Long enough for the receipt to arrive before the response to the send.
    await pause(DELIVERY_DELAY_MS);
    return accepted(id);
  },
  "7": async (id, post) => {
    await post([
      receiptAfter(id, DELIVERY_DELAY_MS, "delivered"),
      receiptAfter(id, DELIVERY_DELAY_MS * 2, "sent", -DELIVERY_DELAY_MS),
      receiptAfter(id, DELIVERY_DELAY_MS * 3, "delivered"),
    ]);
    return accepted(id);
  },
  "8": async (id) => accepted(id),
  "9": async (id, post) => {
    const lost = receiptAfter(id, DELIVERY_DELAY_MS, "undelivered");
    await post([
      { ...lost, report: { ...lost.report, code: "absent_subscriber", detail: "The handset was not reachable." } },
    ]);
    return accepted(id);
  },
};

async function send({ message }: SendRequest): Promise<SendOutcome> {
  const id = `sbx_${newId("request").slice(4)}`;
  const scenario = message.to.startsWith(`${SCENARIO_PREFIX}000`) ? scenarios[message.to.slice(-1)] : undefined;
  if (scenario && message.to.length === SCENARIO_PREFIX.length + 4) return scenario(id, postReceipts);
  await postReceipts([receiptAfter(id, DELIVERY_DELAY_MS, "delivered")]);
  return accepted(id);
}

/** Pauses between tries at the sandbox's own queue. A receipt queued twice is only repeated. */
const POST_AGAIN_MS = [50, 200, 500, 1_000, 2_000];

/** Queues receipts, even across a lost connection; returns when they are committed. */
async function postReceipts(receipts: DueReceipt[]): Promise<void> {
  for (const pauseMs of POST_AGAIN_MS) {
    try {
      return await receiptQueue()(receipts);
    } catch {
      await pause(pauseMs);
    }
  }
  return receiptQueue()(receipts);
}

const receiptQueue = defineProcessValue("sandbox.receipts", () =>
  createBatcher<DueReceipt[], void>(
    async (batch) => {
      await enqueue(batch.flat());
      return batch.map(() => ({ ok: true, value: undefined }));
    },
    { maxWeight: RECEIPTS_MAX, weigh: (item) => item.length },
  ),
);

/** One job for the receipts of each delay. */
async function enqueue(receipts: DueReceipt[]): Promise<void> {
  const byDelay = new Map<number, ReceiptReport[]>();
  for (const { afterMs, report } of receipts) {
    const alike = byDelay.get(afterMs);
    if (alike) alike.push(report);
    else byDelay.set(afterMs, [report]);
  }
  await transaction(async (tx) => {
    // The sandbox may lose its queue with the database's last fraction of a second, as any provider may.
    await tx.query("SET LOCAL synchronous_commit = off");
    for (const [afterMs, reports] of byDelay) {
      const runAt = afterMs > 0 ? new Date(now().getTime() + afterMs) : null;
      await addJob(tx, "apply_receipts", { provider: "sandbox", receipts: reports }, { runAt });
    }
  });
}

export const sandbox = defineProcessValue("sandbox", (): Adapter => ({ id: "sandbox", maxInFlight: 5_000, send }));
