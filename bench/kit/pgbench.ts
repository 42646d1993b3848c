/**
 * The baseline: pgbench runs the minimal transaction of a send (debit, message, ledger entry) on the same tables. It
 * counts no request, checks no key and adds no job, so it does less than the service.
 */
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { endChild } from "./client";
import type { Stage } from "./workload";

const INSTALLED = "/usr/lib/postgresql";
const THREADS = "2";

export type PgbenchPlan = {
  /** Path of the program. */
  program: string;
  url: string;
  folder: string;
  script: string;
  connections: number;
  seconds: number;
};

export type PgbenchResult = {
  transactions: number;
  perSecond: number;
  latencyMs: { average: number; p50: number; p99: number; max: number };
};

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of pgbench. @throws Error that says how to install it. */
export function findPgbench(): string {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? "").split(path.delimiter).filter(Boolean),
    ...versions.map((version) => path.join(INSTALLED, version, "bin")),
  ];
  const found = folders.map((folder) => path.join(folder, "pgbench")).find(isExecutable);
  if (found) return found;
  throw new Error(
    "pgbench is not installed. It comes with PostgreSQL's own packages: `apt-get install postgresql-contrib` on " +
      "Debian and Ubuntu (in newer releases `postgresql`), `brew install postgresql` on macOS.",
  );
}

/** The values that each transaction writes besides its id, number and key; they are as long as the service's. */
export type SendColumns = { accountId: string; sender: string; text: string; routeId: number; priceMicros: number };

/**
 * The pgbench script of one send. Like the service's, its ids begin with the time, so that both sides append to their
 * indexes.
 */
export function sendScript({ accountId, sender, text, routeId, priceMicros }: SendColumns): string {
  const id =
    "'msg_' || lpad(to_hex((extract(epoch FROM now()) * 1000)::int8), 12, '0') || lpad(to_hex(:tail::int8), 14, '0')";
  return `\\set tail random(0, 72057594037927935)
\\set number random(5550000, 5559999)
\\set key random(1, 200)
BEGIN;
UPDATE accounts SET balance_micros = balance_micros - ${priceMicros}, held_micros = held_micros + ${priceMicros} WHERE id = '${accountId}' AND balance_micros >= ${priceMicros};
INSERT INTO messages (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency, route_id, chain, error_code, error_message, reference, created_at, failed_at) VALUES (${id}, '${accountId}', 'key_' || lpad(:key::text, 26, '0'), '+1415' || :number::text, '${sender}', '${text}', 'GSM-7', 1, 'pending', ${priceMicros}, 'USD', ${routeId}, '{sandbox}', NULL, NULL, NULL, now(), NULL);
INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, message_id, note, created_at) VALUES ('${accountId}', 'reserve', -${priceMicros}, ${priceMicros}, ${id}, NULL, now());
COMMIT;
`;
}

/** The pgbench script of a bulk send: as {@link sendScript}, with `recipients` messages inserted by one statement. */
export function bulkScript(columns: SendColumns, recipients: number): string {
  const { accountId, sender, text, routeId, priceMicros } = columns;
  const sum = priceMicros * recipients;
  const id =
    "'msg_' || lpad(to_hex((extract(epoch FROM now()) * 1000)::int8), 12, '0') || lpad(to_hex(:tail::int8 + n), 14, '0')";
  return `\\set tail random(0, 72057594037827935)
BEGIN;
UPDATE accounts SET balance_micros = balance_micros - ${sum}, held_micros = held_micros + ${sum} WHERE id = '${accountId}' AND balance_micros >= ${sum};
INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency, route_id, chain, created_at) SELECT ${id}, '${accountId}', '+1415' || (5550000 + n)::text, '${sender}', '${text}', 'GSM-7', 1, 'pending', ${priceMicros}, 'USD', ${routeId}, '{sandbox}', now() FROM generate_series(1, ${recipients}) AS n;
INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, note, created_at) VALUES ('${accountId}', 'reserve', -${sum}, ${sum}, NULL, now());
COMMIT;
`;
}

/** The latency of each transaction from pgbench's log files, ascending. */
async function latenciesMs(folder: string): Promise<number[]> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
  return texts
    .flatMap((text) => text.trimEnd().split("\n"))
    .map((line) => Number(line.split(" ")[2]) / 1_000)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
}

const numberAfter = (label: RegExp, output: string): number => {
  const text = label.exec(output)?.[1];
  if (text === undefined) throw new Error(`pgbench did not print ${label.source}:\n${output}`);
  return Number(text);
};

let runs = 0;

/** Runs pgbench for `plan.seconds`. @throws Error with its output if it fails. */
export async function runPgbench(stage: Stage, plan: PgbenchPlan): Promise<PgbenchResult> {
  runs += 1;
  const folder = path.join(plan.folder, `pgbench-${runs}`);
  const script = path.join(plan.folder, "send.sql");
  await mkdir(folder);
  await writeFile(script, plan.script);
  const { hostname, port, username, password, pathname } = new URL(plan.url);
  const flags = ["-n", "-M", "prepared", "-j", THREADS, "-c", String(plan.connections), "-T", String(plan.seconds)];
  const log = ["-l", `--log-prefix=${path.join(folder, "transactions")}`];
  const child = await stage.keep(
    async () =>
      spawn(plan.program, [...flags, ...log, "-f", script], {
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          NODE_ENV: process.env.NODE_ENV,
          PATH: process.env.PATH,
          PGHOST: hostname,
          PGPORT: port,
          PGUSER: username,
          PGPASSWORD: password,
          PGDATABASE: pathname.slice(1),
        },
      }),
    endChild,
  );
  let output = "";
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`pgbench ended with code ${code}:\n${output}`);
  const sorted = await latenciesMs(folder);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    transactions: numberAfter(/actually processed: (\d+)/, output),
    perSecond: numberAfter(/tps = ([\d.]+)/, output),
    latencyMs: {
      average: numberAfter(/latency average = ([\d.]+)/, output),
      p50: at(0.5),
      p99: at(0.99),
      max: sorted.at(-1) ?? 0,
    },
  };
}
