/**
 * What providers tell us, over HTTP or on a bind, is put into the job queue before it is acknowledged: once a provider
 * has our 2xx it never says it again.
 */
import { createBatcher } from "../core/batcher";
import { type Tx, transaction } from "../core/db";
import { addJobs, type JobPayload } from "../core/jobs";
import { perProcess } from "../core/process";
import { storableText } from "../core/wire";
import type { CallbackContent, Report } from "./port";
import type { ProviderId } from "./schema";

/** Callbacks per transaction. */
const CALLBACKS_MAX = 500;
/** Reports or messages per job. */
const JOB_ITEMS_MAX = 500;
const TEXT_MAX = 20_000;
const ID_MAX = 255;

/** `at`: when it came, milliseconds of the process's monotonic clock. */
type ReceivedCallback = { provider: ProviderId; content: CallbackContent; nonces: readonly string[]; at: number };

/** `replayed`: a callback with one of its nonces was taken in before, and nothing was done. */
export type Intake = "taken" | "replayed";

/** Takes in a callback; it is committed when this returns. `nonces`: what makes it unique, if anything does. */
export function takeCallback(
  provider: ProviderId,
  content: CallbackContent,
  nonces: readonly string[],
): Promise<Intake> {
  const queue = perProcess("providers.intake", () =>
    createBatcher<ReceivedCallback, Intake>(
      (batch) =>
        transaction(async (tx) => {
          const [timeOf, isNew] = await Promise.all([readDatabaseTime(tx), rememberNonces(tx, batch)]);
          await enqueue(
            tx,
            batch.filter((received) => isNew(received)),
            timeOf,
          );
          return batch.map((received) => ({ ok: true, value: isNew(received) ? "taken" : "replayed" }));
        }),
      { maxWeight: CALLBACKS_MAX, parallel: 2 },
    ),
  );
  return queue({ provider, content, nonces, at: performance.now() });
}

/** Where a connection of its own, such as an SMPP bind, puts what it receives. */
export const inboundSink = (provider: ProviderId) => ({
  take: async (content: CallbackContent): Promise<void> => {
    await takeCallback(provider, content, []);
  },
});

/**
 * Tells when something came by the database's clock: a STOP and a START may come to two processes, and the later one
 * counts.
 */
async function readDatabaseTime(tx: Tx): Promise<(received: ReceivedCallback) => Date> {
  const askedAt = performance.now();
  const { rows } = await tx.query<{ at: Date }>({ name: "providers.time", text: "SELECT clock_timestamp() AS at" });
  const atMs = rows[0]?.at.getTime() ?? Number.NaN;
  return (received) => new Date(atMs - (askedAt - received.at));
}

const slot = (provider: string, nonce: string) => `${provider} ${nonce}`;

/** @returns whether a callback is seen for the first time; of several that share a nonce in a batch only the first is. */
async function rememberNonces(tx: Tx, batch: ReceivedCallback[]): Promise<(received: ReceivedCallback) => boolean> {
  const first = new Map<string, { received: ReceivedCallback; nonce: string }>();
  for (const received of batch) {
    for (const nonce of received.nonces) {
      const key = slot(received.provider, nonce);
      if (!first.has(key)) first.set(key, { received, nonce });
    }
  }
  if (first.size === 0) return () => true;
  const asked = [...first.values()];
  const { rows } = await tx.query<{ provider: string; nonce: string }>({
    name: "providers.nonces",
    text: `INSERT INTO receipt_nonces (provider, nonce)
           SELECT * FROM unnest($1::text[], $2::text[]) ORDER BY 1, 2
           ON CONFLICT DO NOTHING RETURNING provider, nonce`,
    values: [asked.map(({ received }) => received.provider), asked.map(({ nonce }) => nonce)],
  });
  const fresh = new Set(rows.map((row) => slot(row.provider, row.nonce)));
  return (received) =>
    received.nonces
      .map((nonce) => slot(received.provider, nonce))
      .every((key) => fresh.has(key) && first.get(key)?.received === received);
}

async function enqueue(tx: Tx, batch: ReceivedCallback[], timeOf: (received: ReceivedCallback) => Date): Promise<void> {
  const receipts = new Map<ProviderId, JobPayload<"apply_receipts">["receipts"]>();
  const messages = new Map<ProviderId, JobPayload<"apply_inbound">["messages"]>();
  for (const received of batch) {
    const { provider, content } = received;
    const receivedAt = timeOf(received).toISOString();
    for (const report of content.reports) put(receipts, provider, storableReport(report, receivedAt));
    for (const { providerMessageId, from, to, text } of content.inbound) {
      put(messages, provider, {
        providerMessageId: storableText(providerMessageId, ID_MAX),
        from: storableText(from, ID_MAX),
        to: storableText(to, ID_MAX),
        text: storableText(text, TEXT_MAX),
        receivedAt,
      });
    }
  }
  await Promise.all([
    addJobs(
      tx,
      "apply_receipts",
      batchesOf(receipts).map(([provider, batch]) => ({ payload: { provider, receipts: batch }, runAt: null })),
    ),
    addJobs(
      tx,
      "apply_inbound",
      batchesOf(messages).map(([provider, batch]) => ({ payload: { provider, messages: batch }, runAt: null })),
    ),
  ]);
}

/** What goes into one job each. */
const batchesOf = <Item>(all: Map<ProviderId, Item[]>): [ProviderId, Item[]][] =>
  [...all].flatMap(([provider, items]) =>
    Array.from({ length: Math.ceil(items.length / JOB_ITEMS_MAX) }, (_, at): [ProviderId, Item[]] => [
      provider,
      items.slice(at * JOB_ITEMS_MAX, (at + 1) * JOB_ITEMS_MAX),
    ]),
  );

function put<Item>(into: Map<ProviderId, Item[]>, provider: ProviderId, item: Item): void {
  const items = into.get(provider) ?? [];
  items.push(item);
  into.set(provider, items);
}

const storableReport = (report: Report, receivedAt: string) => ({
  ...report,
  providerMessageId: storableText(report.providerMessageId, ID_MAX),
  occurredAt: report.occurredAt ?? receivedAt,
});
