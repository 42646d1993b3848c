/**
 * Counts the writes of the database during the whole life of a message, read from its write-ahead log: rows, index entries and
 * bytes by table. Acceptance, claim, outcome and delivery receipt run batch by batch in this process, without workers.
 */

import type { Client } from "pg";
import { freePort } from "@/scripts/free-port";
import { plainRequest } from "@/server/accounts/idempotency/request";
import type { AccountActor } from "@/server/core/actor";
import { pool } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { closeAdapters } from "@/server/providers/registry";
import { createEndpoint } from "@/server/webhooks/service";
import { claimAttempts } from "@/test/database/attempts";
import { TEXT } from "./kit/load-plan";
import { familyCpuSeconds, requireProc } from "./kit/processes";
import { makeCustomer, makeDatabase, openClient, openFolder, openServer, serviceSettings } from "./kit/service";
import {
  COUNTING_STATEMENTS,
  countStatements,
  readStatements,
  type StatementCost,
  statementLines,
} from "./kit/statements";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

/** Batches that fill caches and pages before anything is counted. */
const WARM_UP = 10;

/** Writes to one table: heap tuples by kind, entries of its indexes, and bytes of the log without full pages. */
type TableWrites = {
  name: string;
  inserted: number;
  updated: number;
  /** Updates that wrote no index entry. */
  hot: number;
  deleted: number;
  entries: number;
  bytes: number;
};

/**
 * A log record is one tuple or one index entry, even within a batch. `record_length` is the length of the whole record, so it is
 * counted only with the record's first block.
 */
const WRITES = `SELECT COALESCE(n.nspname || '.', '') || t.relname AS name,
    count(*) FILTER (WHERE b.record_type LIKE 'INSERT%' AND b.resource_manager = 'Heap')::int4 AS inserted,
    count(*) FILTER (WHERE b.record_type LIKE '%UPDATE%' AND b.resource_manager = 'Heap')::int4 AS updated,
    count(*) FILTER (WHERE b.record_type LIKE 'HOT_UPDATE%')::int4 AS hot,
    count(*) FILTER (WHERE b.record_type LIKE 'DELETE%' AND b.resource_manager = 'Heap')::int4 AS deleted,
    count(*) FILTER (WHERE b.record_type LIKE 'INSERT_LEAF%' OR b.record_type LIKE 'INSERT_POST%'
      OR b.record_type LIKE 'SPLIT%')::int4 AS entries,
    sum(b.record_length - b.block_fpi_length)::int8::text AS bytes
  FROM pg_get_wal_block_info($1, $2) b
  JOIN pg_class c ON c.relfilenode = b.relfilenode LEFT JOIN pg_index i ON i.indexrelid = c.oid
  JOIN pg_class t ON t.oid = COALESCE(i.indrelid, c.oid)
  LEFT JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname <> 'public'
  WHERE b.block_id = 0 GROUP BY 1 HAVING count(*) > 0 ORDER BY 1`;

/** Takes `count` single messages through their life, as one flush of concurrent requests would. */
async function live(actor: AccountActor, from: string, count: number): Promise<void> {
  const sent = await Promise.all(
    Array.from({ length: count }, () => {
      const to = `+1415${String(Math.floor(Math.random() * 10_000_000)).padStart(7, "0")}`;
      return sendMessage(actor, { to, from, body: TEXT }, plainRequest());
    }),
  );
  const attempts = await claimAttempts(sent.map(({ id }) => id));
  if (attempts.length !== count) throw new Error(`${attempts.length} of ${count} messages were claimed.`);
  for (const { slot } of attempts) slot?.release();
  const idOf = (messageId: string) => `sbx_${messageId}`;
  await Promise.all(
    attempts.map((attempt) =>
      recordOutcome(attemptResult(attempt, { kind: "accepted", providerMessageIds: [idOf(attempt.message.id)] }, 1)),
    ),
  );
  const occurredAt = new Date().toISOString();
  await applyReceipts(
    "sandbox",
    attempts.map(({ message }) => {
      return { providerMessageId: idOf(message.id), status: "delivered", code: null, detail: null, occurredAt };
    }),
  );
}

const positionOf = async (database: Client): Promise<string> => {
  const { rows } = await database.query<{ at: string }>("SELECT pg_current_wal_insert_lsn()::text AS at");
  return rows[0]?.at ?? "0/0";
};

/** @returns the bytes written between two positions, full pages included. */
const bytesBetween = async (database: Client, from: string, to: string): Promise<number> => {
  const { rows } = await database.query<{ bytes: string }>("SELECT ($2::pg_lsn - $1::pg_lsn)::text AS bytes", [
    from,
    to,
  ]);
  return Number(rows[0]?.bytes ?? 0);
};

async function run(options: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  stage.say("Starting PostgreSQL");
  const folder = await openFolder(stage);
  const server = await openServer(stage, folder, options.connections, COUNTING_STATEMENTS);
  const customer = makeCustomer();
  const url = await makeDatabase(server, "messaging", customer);
  const settings = serviceSettings(url, await freePort());
  Object.assign(process.env, settings);
  const database = await openClient(stage, url);
  await database.query("CREATE EXTENSION pg_walinspect");
  const keyId = customer.keys[0]?.id ?? "";
  const actor: AccountActor = {
    kind: "apiKey",
    accountId: customer.accountId,
    keyId,
    scopes: ["sms:send"],
    limits: { daily: null, monthly: null },
  };
  await stage.keep(
    async () => pool(),
    async (connections) => {
      await closeAdapters();
      await connections.end();
    },
  );
  await createEndpoint(actor, { url: "https://93.184.215.14/hook" }, plainRequest());

  const size = options.connections;
  stage.say(`Warming up: ${WARM_UP} batches of ${size}`);
  for (let batch = 0; batch < WARM_UP; batch += 1) await live(actor, customer.sender, size);
  await database.query("CHECKPOINT");
  await live(actor, customer.sender, size);
  const batches = Math.max(1, Math.round(options.backlog / size));
  const messages = batches * size;
  stage.say(`Counting: ${messages} messages in batches of ${size}`);
  await countStatements(database);
  const from = await positionOf(database);
  const startedAt = performance.now();
  const cpuBefore = familyCpuSeconds(server.pid);
  for (let batch = 0; batch < batches && !stage.signal.aborted; batch += 1) await live(actor, customer.sender, size);
  const perSecond = (messages / (performance.now() - startedAt)) * 1_000;
  const cpuMicros = ((familyCpuSeconds(server.pid) - cpuBefore) / messages) * 1_000_000;
  const statements = await readStatements(database, messages);
  const to = await positionOf(database);
  const walBytes = (await bytesBetween(database, from, to)) / messages;
  const { rows } = await database.query<Omit<TableWrites, "bytes"> & { bytes: string }>(WRITES, [from, to]);
  const tables = rows.map((row) => perMessage({ ...row, bytes: Number(row.bytes) }, messages));
  const figures = {
    workload: "writes",
    messages,
    batch: size,
    perSecond,
    cpuMicros,
    walBytes,
    tables,
    total: sum(tables),
    statements,
  };
  return { ok: true, text: print(figures), figures };
}

const NUMBERS = ["inserted", "updated", "hot", "deleted", "entries", "bytes"] as const;

const perMessage = (row: TableWrites, messages: number): TableWrites => ({
  ...row,
  ...Object.fromEntries(NUMBERS.map((name) => [name, row[name] / messages])),
});

function sum(rows: readonly TableWrites[]): TableWrites {
  const total = { name: "total", inserted: 0, updated: 0, hot: 0, deleted: 0, entries: 0, bytes: 0 };
  for (const row of rows) for (const name of NUMBERS) total[name] += row[name];
  return total;
}

type Figures = {
  messages: number;
  batch: number;
  perSecond: number;
  /** Processor time of PostgreSQL per message. */
  cpuMicros: number;
  walBytes: number;
  tables: TableWrites[];
  total: TableWrites;
  statements: StatementCost[];
};

function print({ messages, batch, perSecond, cpuMicros, walBytes, tables, total, statements }: Figures): string {
  const line = (cells: string[]) => cells.map((cell, at) => (at === 0 ? cell.padEnd(32) : cell.padStart(9))).join("");
  // Tables that are written once per batch at most are left out.
  const shown = tables.filter((row) => row.inserted + row.updated + row.deleted >= 0.05);
  const lines = [...shown, total].map((row) =>
    line([row.name, ...NUMBERS.map((name) => (name === "bytes" ? row[name].toFixed(0) : row[name].toFixed(2)))]),
  );
  return `Writes per message, of ${messages} messages in batches of ${batch} (accepted, sent, delivered; two events, one endpoint)

${line(["table", ...NUMBERS])}
${lines.join("\n")}

Write-ahead log: ${Math.round(walBytes)} bytes per message, full pages included.
One process, batch by batch: ${Math.round(perSecond)} messages per second, ${Math.round(cpuMicros)} µs of PostgreSQL per message.

${statementLines(statements).join("\n")}
`;
}

export const writes: Workload = {
  summary: "rows, index entries and bytes that the database writes per message",
  run,
};
