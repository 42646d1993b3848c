/**
 * What providers tell us, over HTTP or on a bind, is put into the job queue before it is acknowledged: once a provider
 * has our 2xx it never says it again.
 */
import { coalesce } from "../core/batch";
import { type Tx, transaction } from "../core/db";
import { addJobs, type JobPayload } from "../core/jobs";
import { perProcess } from "../core/process";
import { storableText } from "../core/wire";
import type { CallbackContent, Report } from "./port";
import type { ProviderId } from "./schema";

/** Callbacks per transaction. */
const CALLBACKS_MAX = 500;
/** Reports or messages per job. */
const LOT_MAX = 500;
const TEXT_MAX = 20_000;
const ID_MAX = 255;

/** `at`: when it came, milliseconds of the process's monotonic clock. */
type Told = { provider: ProviderId; content: CallbackContent; nonces: readonly string[]; at: number };

/** `replayed`: a callback with one of its nonces was taken in before, and nothing was done. */
export type Intake = "taken" | "replayed";

/** Takes in a callback; it is committed when this returns. `nonces`: what makes it unique, if anything does. */
export function takeCallback(
  provider: ProviderId,
  content: CallbackContent,
  nonces: readonly string[],
): Promise<Intake> {
  const queue = perProcess("providers.intake", () =>
    coalesce<Told, Intake>(
      (batch) =>
        transaction(async (tx) => {
          const [timeOf, isNew] = await Promise.all([openDatabaseTime(tx), rememberNonces(tx, batch)]);
          await enqueue(
            tx,
            batch.filter((told) => isNew(told)),
            timeOf,
          );
          return batch.map((told) => ({ ok: true, value: isNew(told) ? "taken" : "replayed" }));
        }),
      { maxWeight: CALLBACKS_MAX, parallel: 2 },
    ),
  );
  return queue({ provider, content, nonces, at: performance.now() });
}

/** Where a connection of its own, such as an SMPP bind, puts what it is told. */
export const inboundSink = (provider: ProviderId) => ({
  take: async (content: CallbackContent): Promise<void> => {
    await takeCallback(provider, content, []);
  },
});

/**
 * Tells when something came by the database's clock: a STOP and a START may come to two processes, and the later one
 * counts.
 */
async function openDatabaseTime(tx: Tx): Promise<(told: Told) => Date> {
  const askedAt = performance.now();
  const { rows } = await tx.query<{ at: Date }>({ name: "providers.time", text: "SELECT clock_timestamp() AS at" });
  const atMs = rows[0]?.at.getTime() ?? Number.NaN;
  return (told) => new Date(atMs - (askedAt - told.at));
}

const slot = (provider: string, nonce: string) => `${provider} ${nonce}`;

/** @returns whether a callback is seen for the first time; of several that share a nonce in a batch only the first is. */
async function rememberNonces(tx: Tx, batch: Told[]): Promise<(told: Told) => boolean> {
  const first = new Map<string, { told: Told; nonce: string }>();
  for (const told of batch) {
    for (const nonce of told.nonces) {
      const key = slot(told.provider, nonce);
      if (!first.has(key)) first.set(key, { told, nonce });
    }
  }
  if (first.size === 0) return () => true;
  const asked = [...first.values()];
  const { rows } = await tx.query<{ provider: string; nonce: string }>({
    name: "providers.nonces",
    text: `INSERT INTO receipt_nonces (provider, nonce)
           SELECT * FROM unnest($1::text[], $2::text[]) ORDER BY 1, 2
           ON CONFLICT DO NOTHING RETURNING provider, nonce`,
    values: [asked.map(({ told }) => told.provider), asked.map(({ nonce }) => nonce)],
  });
  const fresh = new Set(rows.map((row) => slot(row.provider, row.nonce)));
  return (told) =>
    told.nonces
      .map((nonce) => slot(told.provider, nonce))
      .every((key) => fresh.has(key) && first.get(key)?.told === told);
}

async function enqueue(tx: Tx, batch: Told[], timeOf: (told: Told) => Date): Promise<void> {
  const receipts = new Map<ProviderId, JobPayload<"apply_receipts">["receipts"]>();
  const messages = new Map<ProviderId, JobPayload<"apply_inbound">["messages"]>();
  for (const told of batch) {
    const { provider, content } = told;
    const receivedAt = timeOf(told).toISOString();
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
      lotsOf(receipts).map(([provider, lot]) => ({ payload: { provider, receipts: lot }, runAt: null })),
    ),
    addJobs(
      tx,
      "apply_inbound",
      lotsOf(messages).map(([provider, lot]) => ({ payload: { provider, messages: lot }, runAt: null })),
    ),
  ]);
}

/** What goes into one job each. */
const lotsOf = <Item>(all: Map<ProviderId, Item[]>): [ProviderId, Item[]][] =>
  [...all].flatMap(([provider, items]) =>
    Array.from({ length: Math.ceil(items.length / LOT_MAX) }, (_, at): [ProviderId, Item[]] => [
      provider,
      items.slice(at * LOT_MAX, (at + 1) * LOT_MAX),
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
