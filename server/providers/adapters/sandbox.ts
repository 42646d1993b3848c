/**
 * The built-in carrier: it takes messages and reports on them like a real one, and sends nothing. What it does is told
 * by the last four digits of a number that starts with +1555010 (README, "Scenario numbers"). Its receipts wait in the
 * job queue, so they outlive a restart.
 */
import { createBatcher } from "../../core/batcher";
import { now } from "../../core/clock";
import { transaction } from "../../core/db";
import { newId } from "../../core/ids";
import { addJob, type ReceiptReport } from "../../core/jobs";
import { perProcess } from "../../core/process";
import type { Adapter, SendOutcome, SendRequest } from "../port";

const SCENARIO_PREFIX = "+1555010";
const DELIVERY_DELAY_MS = 1_000;
const LATE_DELAY_MS = 5_000;
/** How long the carrier that never answers is waited for. */
const TIMEOUT_MS = 10_000;
const RECEIPTS_MAX = 1_000;

type Later = { afterMs: number; report: ReceiptReport };

/** A receipt that is due `afterMs` after the message was taken; `skewMs` is what its own time says beyond that. */
const later = (id: string, afterMs: number, status: ReceiptReport["status"], skewMs = 0): Later => ({
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

/** What the carrier does with a message to a scenario number, by the number's last digit. */
const scenarios: Record<string, (id: string, post: (receipts: Later[]) => Promise<void>) => Promise<SendOutcome>> = {
  "1": async (id, post) => {
    await post([later(id, 0, "delivered")]);
    return accepted(id);
  },
  "2": async (id, post) => {
    await post([later(id, LATE_DELAY_MS, "delivered")]);
    return accepted(id);
  },
  "3": async () => ({ kind: "refused", code: "invalid_recipient", detail: "The number does not exist." }),
  "4": async () => ({ kind: "retryable", code: "http_503", detail: "The provider answered 503.", fault: "provider" }),
  "5": async () => {
    await pause(TIMEOUT_MS);
    return { kind: "unknown", code: "timeout", detail: `The provider did not answer within ${TIMEOUT_MS / 1_000} s.` };
  },
  "6": async (id, post) => {
    await post([later(id, 0, "delivered")]);
    // Long enough for the receipt to be taken in before the send has been answered.
    await pause(DELIVERY_DELAY_MS);
    return accepted(id);
  },
  "7": async (id, post) => {
    await post([
      later(id, DELIVERY_DELAY_MS, "delivered"),
      later(id, DELIVERY_DELAY_MS * 2, "sent", -DELIVERY_DELAY_MS),
      later(id, DELIVERY_DELAY_MS * 3, "delivered"),
    ]);
    return accepted(id);
  },
  "8": async (id) => accepted(id),
  "9": async (id, post) => {
    const lost = later(id, DELIVERY_DELAY_MS, "undelivered");
    await post([
      { ...lost, report: { ...lost.report, code: "absent_subscriber", detail: "The handset was not reachable." } },
    ]);
    return accepted(id);
  },
};

async function send({ message }: SendRequest): Promise<SendOutcome> {
  const id = newId("request").replace("req_", "sbx_");
  const scenario = message.to.startsWith(`${SCENARIO_PREFIX}000`) ? scenarios[message.to.slice(-1)] : undefined;
  if (scenario && message.to.length === SCENARIO_PREFIX.length + 4) return scenario(id, postReceipts);
  await postReceipts([later(id, DELIVERY_DELAY_MS, "delivered")]);
  return accepted(id);
}

/** Pauses after which the carrier tries its own queue again; a receipt that it posts twice is one that it repeats. */
const POST_AGAIN_MS = [50, 200, 500, 1_000, 2_000];

/** Puts receipts into the carrier's own queue; returns when they are committed. The carrier outlasts a lost connection. */
async function postReceipts(receipts: Later[]): Promise<void> {
  for (const pauseMs of POST_AGAIN_MS) {
    try {
      return await enqueue(receipts);
    } catch {
      await pause(pauseMs);
    }
  }
  return enqueue(receipts);
}

function enqueue(receipts: Later[]): Promise<void> {
  const queue = perProcess("sandbox.receipts", () =>
    createBatcher<Later[], void>(
      async (batch) => {
        const byDelay = new Map<number, ReceiptReport[]>();
        for (const { afterMs, report } of batch.flat()) {
          const reports = byDelay.get(afterMs) ?? [];
          reports.push(report);
          byDelay.set(afterMs, reports);
        }
        await transaction(async (tx) => {
          // The pretended carrier may lose its queue with the database's last fraction of a second, as any carrier may.
          await tx.query("SET LOCAL synchronous_commit = off");
          for (const [afterMs, reports] of byDelay) {
            const runAt = afterMs > 0 ? new Date(now().getTime() + afterMs) : null;
            await addJob(tx, "apply_receipts", { provider: "sandbox", receipts: reports }, { runAt });
          }
        });
        return batch.map(() => ({ ok: true, value: undefined }));
      },
      { maxWeight: RECEIPTS_MAX, weigh: (item) => item.length },
    ),
  );
  return queue(receipts);
}

export const sandbox = (): Adapter => perProcess("sandbox", () => ({ id: "sandbox", maxInFlight: 2_000, send }));
