/** Asks providers that can be asked what became of hand-overs whose end is not known. */
import { SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { errorFields, log } from "../core/log";
import { enterLane } from "../providers/lane";
import type { OutboundMessage } from "../providers/port";
import { receiptUrlFor } from "../providers/receipt-url";
import { referenceTo } from "../providers/reference";
import { type ProviderTable, providerTable } from "../providers/registry";
import { PROVIDERS } from "../providers/schema";
import type { Attempt } from "./claims";
import { beginHandOvers, goOn } from "./hand-over";

/** Providers allow few look-ups, and a call under way must not be taken for one that was lost. */
const LOOK_UPS_MAX = 100;
const BEYOND_TIMEOUT_MS = 30 * SECOND_MS;

type Row = OutboundMessage & {
  accountId: string;
  seq: number;
  provider: string;
  claimedAt: Date;
  tried: string[];
  afterUnknown: boolean;
};

/** Looks up open and unknown hand-overs that began after `since`. What a provider knows of one is recorded as its outcome. */
export async function lookUpUnknown(since: Date): Promise<void> {
  const table = await providerTable();
  const askable = PROVIDERS.filter((id) => table.adapterOf(id)?.lookUp);
  if (askable.length === 0) return;
  const { rows } = await pool().query<Row>({
    name: "look_up.unknown",
    text: `SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding, m.segments,
             m.account_id AS "accountId", a.seq, a.provider, a.started_at AS "claimedAt",
             ARRAY(SELECT b.provider FROM message_attempts b WHERE b.message_id = m.id AND b.seq < a.seq ORDER BY b.seq) AS tried,
             EXISTS (SELECT 1 FROM message_attempts b
               WHERE b.message_id = m.id AND b.seq < a.seq AND b.outcome = 'unknown') AS "afterUnknown"
           FROM message_attempts a JOIN messages m ON m.id = a.message_id
           WHERE (a.outcome IS NULL OR a.outcome = 'unknown') AND m.status = 'pending' AND a.provider = ANY($1::text[])
             AND a.started_at > $2 AND a.started_at < now() - $3 * interval '1 millisecond'
             AND NOT EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = a.message_id AND b.seq > a.seq)
             AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = a.message_id)
           ORDER BY a.started_at LIMIT $4`,
    values: [askable, since, env().PROVIDER_TIMEOUT_MS + BEYOND_TIMEOUT_MS, LOOK_UPS_MAX],
  });
  for (const row of rows) {
    await lookUp(table, row).catch((thrown) =>
      log("warn", "attempt.not_looked_up", { message_id: row.id, provider: row.provider, ...errorFields(thrown) }),
    );
  }
}

async function lookUp(
  table: ProviderTable,
  { accountId, seq, provider, claimedAt, tried, afterUnknown, ...message }: Row,
): Promise<void> {
  const adapter = table.adapterOf(provider);
  if (!adapter?.lookUp) return;
  const reference = referenceTo(message.id, seq);
  const outcome = await adapter.lookUp({ message, reference, receiptUrl: receiptUrlFor(adapter.id, reference) });
  if (!outcome || outcome.kind === "unknown") return;
  log("info", "attempt.looked_up", { message_id: message.id, provider, outcome: outcome.kind });
  const attempt: Attempt = { message, accountId, seq, provider, claimedAt, tried, afterUnknown };
  const next = await goOn(attempt, outcome, 0);
  const nextAdapter = next && table.adapterOf(next.provider);
  if (nextAdapter) enterLane(nextAdapter);
  if (next) beginHandOvers([next]);
}
