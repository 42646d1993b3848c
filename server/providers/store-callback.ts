/**
 * Stores callbacks of providers, over HTTP or on a bind, before they are acknowledged: a provider never repeats a callback
 * after our 2xx. Receipts go into the job queue. Messages from handsets are taken at once, so that a STOP holds from its
 * acknowledgment on.
 */

import { addJobs } from "../core/add-jobs";
import { createBatcher, type Settled } from "../core/batcher";
import { isConnectionFailure } from "../core/database/connection-failure";
import { type Tx, transaction } from "../core/db";
import { isApiError } from "../core/errors";
import type { JobPayload } from "../core/jobs";
import { errorFields, log } from "../core/log";
import { defineProcessValue } from "../core/process";
import { activeTrace, traceStored } from "../core/spans";
import { unnest } from "../core/unnest";
import { storableText } from "../core/wire";
import { storeInbound } from "../inbound/intake";
import type { CallbackContent, Report } from "./port";
import type { ProviderId } from "./schema";
import { logUnlisted } from "./unlisted-codes";

/** Callbacks per transaction. */
const CALLBACKS_MAX = 500;
/** Reports or messages per job. */
const JOB_ITEMS_MAX = 500;
const TEXT_MAX = 20_000;
const ID_MAX = 255;

/** `at`: time of receipt in milliseconds of the process's monotonic clock. `trace`: the span of the callback, if any. */
type ReceivedCallback = {
  provider: ProviderId;
  content: CallbackContent;
  nonces: readonly string[];
  at: number;
  trace: string | undefined;
};

/**
 * - repeated: all its nonces are known, so this callback was stored before, and nothing was done.
 * - replayed: only some are known, so it uses the signature of another callback, and nothing was done.
 */
export type Intake = "taken" | "repeated" | "replayed";

/** Callbacks with receipts only, and those whose messages are left to a job. */
const callbackQueue = defineProcessValue("providers.intake", () =>
  createBatcher<ReceivedCallback, Intake>((batch) => transaction((tx) => store(tx, batch, addInboundJobs)), {
    name: "callbacks",
    maxWeight: CALLBACKS_MAX,
    parallel: 2,
  }),
);

/** Callbacks with messages from handsets. */
const inboundQueue = defineProcessValue("providers.inbound_intake", () =>
  createBatcher<ReceivedCallback, Intake>(takeAtOnce, { name: "inbound", maxWeight: CALLBACKS_MAX, parallel: 2 }),
);

async function takeAtOnce(batch: ReceivedCallback[]): Promise<Settled<Intake>[]> {
  const taking = transaction(async (tx) => {
    const ids: string[] = [];
    const settled = await store(tx, batch, async (_, messages) => {
      for (const [provider, own] of messages) ids.push(...(await storeInbound(tx, provider, own)));
    });
    return { ids, settled };
  });
  return (await traceStored("inbound message", taking, ({ ids }) => ids)).settled;
}

/**
 * Stores a callback; it is committed when this returns.
 * @param nonces make the callback unique; empty when its provider has none.
 */
export async function takeCallback(
  provider: ProviderId,
  content: CallbackContent,
  nonces: readonly string[],
): Promise<Intake> {
  logUnlisted(provider, content.reports);
  const received = { provider, content, nonces, at: performance.now(), trace: activeTrace() };
  if (content.inbound.length === 0) return callbackQueue()(received);
  try {
    return await inboundQueue()(received);
  } catch (thrown) {
    // Without the database the provider has to repeat the callback. Any other failure, such as a lock that was held for too
    // long, must not keep it from being acknowledged: a job repeats the work.
    if (isApiError(thrown) || isConnectionFailure(thrown)) throw thrown;
    log("warn", "inbound.deferred", { provider, ...errorFields(thrown) });
    return callbackQueue()(received);
  }
}

type Messages = Map<ProviderId, JobPayload<"apply_inbound">["messages"]>;

/** Stores what a batch of callbacks reports. @param take takes its messages from handsets. */
async function store(
  tx: Tx,
  batch: ReceivedCallback[],
  take: (tx: Tx, messages: Messages, taken: readonly ReceivedCallback[]) => Promise<void>,
): Promise<Settled<Intake>[]> {
  const [timeOf, intakeOf] = await Promise.all([readDatabaseTime(tx), rememberNonces(tx, batch)]);
  const taken = batch.filter((received) => intakeOf(received) === "taken");
  const { receipts, messages } = contentOf(taken, timeOf);
  await Promise.all([addReceiptJobs(tx, receipts, taken), take(tx, messages, taken)]);
  return batch.map((received) => ({ ok: true, value: intakeOf(received) }));
}

/** Stores content that arrives on a connection of the provider, such as an SMPP bind. */
export const inboundSink = (provider: ProviderId) => ({
  take: async (content: CallbackContent): Promise<void> => {
    await takeCallback(provider, content, []);
  },
});

/**
 * Maps times of receipt to the database's clock: a STOP and a START may arrive at two processes, and the later one
 * counts.
 */
async function readDatabaseTime(tx: Tx): Promise<(received: ReceivedCallback) => Date> {
  const askedAt = performance.now();
  const { rows } = await tx.query<{ at: Date }>({ name: "providers.time", text: "SELECT clock_timestamp() AS at" });
  const atMs = rows[0]?.at.getTime() ?? Number.NaN;
  return (received) => new Date(atMs - (askedAt - received.at));
}

type ProviderNonce = { provider: string; nonce: string };

const nonceKey = ({ provider, nonce }: ProviderNonce) => `${provider} ${nonce}`;

const nonceRows = unnest<ProviderNonce>({
  provider: ["text", ({ provider }) => provider],
  nonce: ["text", ({ nonce }) => nonce],
});

/** @returns a function that tells whether a callback is new; of several with the same nonce in a batch only the first is. */
async function rememberNonces(tx: Tx, batch: ReceivedCallback[]): Promise<(received: ReceivedCallback) => Intake> {
  const first = new Map<string, ProviderNonce & { received: ReceivedCallback }>();
  for (const received of batch) {
    for (const nonce of received.nonces) {
      const own = { provider: received.provider, nonce };
      const key = nonceKey(own);
      if (!first.has(key)) first.set(key, { ...own, received });
    }
  }
  if (first.size === 0) return () => "taken";
  const { rows } = await tx.query<ProviderNonce>({
    name: "providers.nonces",
    text: `INSERT INTO receipt_nonces (provider, nonce)
           SELECT * FROM ${nonceRows.sql} ORDER BY 1, 2
           ON CONFLICT DO NOTHING RETURNING provider, nonce`,
    values: nonceRows.values([...first.values()]),
  });
  const inserted = new Set(rows.map(nonceKey));
  const addedBy = (received: ReceivedCallback): ProviderNonce[] =>
    received.nonces
      .map((nonce) => ({ provider: received.provider, nonce }))
      .filter((each) => inserted.has(nonceKey(each)) && first.get(nonceKey(each))?.received === received);
  const intakeOf = (received: ReceivedCallback): Intake => {
    const added = addedBy(received).length;
    if (added === received.nonces.length) return "taken";
    return added === 0 ? "repeated" : "replayed";
  };
  await forgetNonces(tx, batch.filter((received) => intakeOf(received) === "replayed").flatMap(addedBy));
  return intakeOf;
}

/** Forgets what replayed callbacks brought: a replay remains one however often it comes, and takes no nonce from another callback. */
async function forgetNonces(tx: Tx, nonces: readonly ProviderNonce[]): Promise<void> {
  if (nonces.length === 0) return;
  await tx.query({
    name: "providers.forget_nonces",
    text: `DELETE FROM receipt_nonces n USING ${nonceRows.as("r")} WHERE n.provider = r.provider AND n.nonce = r.nonce`,
    values: nonceRows.values(nonces),
  });
}

type Receipts = Map<ProviderId, JobPayload<"apply_receipts">["receipts"]>;

/** Receipts and messages by provider. */
function contentOf(
  batch: readonly ReceivedCallback[],
  timeOf: (received: ReceivedCallback) => Date,
): { receipts: Receipts; messages: Messages } {
  const receipts: Receipts = new Map();
  const messages: Messages = new Map();
  for (const received of batch) {
    const { provider, content } = received;
    const receivedAt = timeOf(received).toISOString();
    for (const report of content.reports) put(receipts, provider, storableReport(report, receivedAt));
    for (const { providerMessageId, from, to, text, keyword, occurredAt } of content.inbound) {
      put(messages, provider, {
        providerMessageId: storableText(providerMessageId, ID_MAX),
        from: storableText(from, ID_MAX),
        to: storableText(to, ID_MAX),
        text: storableText(text, TEXT_MAX),
        ...(keyword && { keyword }),
        ...(occurredAt && { occurredAt }),
        receivedAt,
      });
    }
  }
  return { receipts, messages };
}

const addReceiptJobs = (tx: Tx, receipts: Receipts, taken: readonly ReceivedCallback[]): Promise<void> => {
  const tracesOf = tracesBy(taken);
  return addJobs(
    tx,
    "apply_receipts",
    batchesOf(receipts).map(([provider, batch]) => ({
      payload: { provider, receipts: batch, ...tracesOf(provider) },
      runAt: null,
    })),
  );
};

const addInboundJobs = (tx: Tx, messages: Messages, taken: readonly ReceivedCallback[]): Promise<void> => {
  const tracesOf = tracesBy(taken);
  return addJobs(
    tx,
    "apply_inbound",
    batchesOf(messages).map(([provider, batch]) => ({
      payload: { provider, messages: batch, ...tracesOf(provider) },
      runAt: null,
    })),
  );
};

/** The spans of a provider's callbacks, for its jobs; nothing if there are none. */
const tracesBy = (batch: readonly ReceivedCallback[]) => (provider: ProviderId) => {
  const traces = batch.flatMap(({ trace, ...received }) => (received.provider === provider && trace ? [trace] : []));
  return traces.length > 0 ? { traces } : {};
};

/** Batches of one provider's items, each for one job. */
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

const storableReport = ({ providerDetail: _, ...report }: Report, receivedAt: string) => ({
  ...report,
  providerMessageId: storableText(report.providerMessageId, ID_MAX),
  occurredAt: report.occurredAt ?? receivedAt,
});
