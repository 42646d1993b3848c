/**
 * Refuses database addresses that lead through a pooler without the features that the service needs. Without this check every
 * request would fail with an error that names a statement, not the cause, or locks would outlive their process.
 */
import type pg from "pg";
import { SESSION_LIMITS } from "../core/db";
import { directDatabaseUrl, env } from "../core/env";
import { errorCodeOf, messageOf } from "../core/errors";
import { errorFields, log } from "../core/log";
import { plainError } from "../core/process";
import { isPooled, LOOKS, notDirectLine, sharesSessions, withConnections } from "./pooled-sessions";
import { encryptionLine } from "./unreachable";

const REFUSED_PARAMETER = /^unsupported startup parameter(?: in options)?: (\w+)/;
const NO_TRANSACTIONS = /statement pooling mode/;
/** SQLSTATEs: another connection already uses the statement's name; the name is unknown here. */
const NAME_FAILURES = new Set(["42P05", "26000"]);
const SETTINGS_FILE = "deploy/pgbouncer/pgbouncer.ini";

/** Whether statements that two connections prepare under one name disturb each other. */
async function mixesUpNames(clients: readonly pg.Client[]): Promise<boolean> {
  try {
    for (let look = 0; look < LOOKS; look += 1) {
      for (const client of clients) await client.query({ name: "pooler_check.name", text: "SELECT 1" });
    }
    return false;
  } catch (thrown) {
    if (NAME_FAILURES.has(errorCodeOf(thrown))) return true;
    throw thrown;
  }
}

/** By the name of a setting: unsuitable values, a suitable one, and the reason. */
type Unfit = Record<string, { unfit: RegExp; fit: string; because: string }>;

/** Values that each of our connections requests when it begins, if a pooler does not pass them on. */
const UNFIT_FORMS: Unfit = {
  TimeZone: {
    unfit: /^(?!(Etc\/)?(UTC|UCT|GMT|Zulu|Universal)$)/i,
    fit: "'UTC'",
    because: "times would be shown off by hours",
  },
  DateStyle: { unfit: /^(?!ISO)/, fit: "'ISO'", because: "times could not be read" },
};

/**
 * Values of the user that each of our connections would change for itself. A connection with a shared session cannot: its next
 * statement may run on another connection to the server.
 */
const UNFIT_VALUES: Unfit = {
  synchronous_commit: { unfit: /^off$/, fit: "on", because: "a crash of the database would lose accepted messages" },
  default_transaction_isolation: {
    unfit: /^(repeatable read|serializable)$/,
    fit: "'read committed'",
    because: "statements that wait for each other would fail",
  },
};

/** @returns which value of a connection is unfit, and what to do; null when none is. */
async function unfitValueOf(client: pg.Client, settings: Unfit): Promise<string | null> {
  for (const [name, { unfit, fit, because }] of Object.entries(settings)) {
    const { rows } = await client.query<{ value: string }>("SELECT current_setting($1) AS value", [name]);
    const value = rows[0]?.value ?? "";
    if (unfit.test(value))
      return `hands out connections with ${name} = ${value}, and ${because}: set it for the user (ALTER ROLE … SET ${name} = ${fit})`;
  }
  return null;
}

/** @returns why DATABASE_URL is unsuitable; null when it is suitable. @throws when the database cannot be asked. */
async function faultOfMain(): Promise<string | null> {
  const { DATABASE_URL, DATABASE_STATEMENT_NAMES } = env();
  const config = { connectionString: DATABASE_URL, ...SESSION_LIMITS };
  try {
    return await withConnections(config, async (open) => {
      const client = await open();
      if (!(await isPooled(client))) return null;
      for (const statement of ["BEGIN", "ROLLBACK"]) await client.query(statement);
      const unfitValue = await unfitValueOf(client, {
        ...UNFIT_FORMS,
        ...((await sharesSessions(client, open)) && UNFIT_VALUES),
      });
      if (unfitValue !== null) return unfitValue;
      if (!DATABASE_STATEMENT_NAMES || !(await mixesUpNames([client, await open()]))) return null;
      return "keeps no prepared statements: set its max_prepared_statements to 300 (PgBouncer 1.21 or newer), or DATABASE_STATEMENT_NAMES to false";
    });
  } catch (thrown) {
    const [, parameter] = REFUSED_PARAMETER.exec(messageOf(thrown)) ?? [];
    if (parameter)
      return `refuses the parameter ${parameter}: name it in its ignore_startup_parameters, as ${SETTINGS_FILE} does`;
    if (NO_TRANSACTIONS.test(messageOf(thrown)))
      return `has no transactions (pool_mode = statement): set its pool_mode to transaction, as ${SETTINGS_FILE} does`;
    throw thrown;
  }
}

/** @throws Error with one line if the address's encryption is impossible. Other failures are waited for elsewhere. */
function refuseUnencryptable(thrown: unknown, setting: "DATABASE_URL" | "DATABASE_DIRECT_URL"): void {
  const line = encryptionLine(thrown, env()[setting] ?? "", setting);
  if (line !== null) throw plainError(line);
}

/** An unreachable database is waited for elsewhere. */
const noFault = (thrown: unknown): null => {
  log("warn", "database.pooler_not_checked", errorFields(thrown));
  return null;
};

/**
 * Refuses a DATABASE_URL whose encryption cannot be had, or through a pooler that refuses our parameters, has no transactions, keeps no
 * prepared statements, or has unfit values.
 * @returns whether it could be looked at.
 * @throws Error with one line for people.
 */
export async function refuseUnfitPooler(): Promise<boolean> {
  const fault = await faultOfMain().catch((thrown) => {
    refuseUnencryptable(thrown, "DATABASE_URL");
    noFault(thrown);
    return undefined;
  });
  if (fault) throw plainError(`DATABASE_URL leads through a pooler that ${fault}.`);
  return fault !== undefined;
}

/**
 * Refuses a direct address that leads through a pooler, unless its sessions last.
 * @param options parameters of the queues' connections.
 * @throws Error with one line for people.
 */
export async function refuseIndirect(options: string): Promise<void> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = env();
  const config = { connectionString: DATABASE_DIRECT_URL ?? DATABASE_URL, options };
  const line = await withConnections(config, async (open) => {
    const isShared = await sharesSessions(await open(), open);
    return isShared ? notDirectLine(DATABASE_DIRECT_URL !== undefined) : null;
  }).catch((thrown) => {
    if (DATABASE_DIRECT_URL !== undefined) refuseUnencryptable(thrown, "DATABASE_DIRECT_URL");
    const [, parameter] = REFUSED_PARAMETER.exec(messageOf(thrown)) ?? [];
    return parameter
      ? notDirectLine(DATABASE_DIRECT_URL !== undefined, `it refuses the parameter ${parameter}`)
      : noFault(thrown);
  });
  if (line !== null) throw plainError(line);
}

/**
 * Warns of an address at which a web process is not notified of changes: pages then show them only at their next poll.
 * @returns whether it is notified of them; null when that could not be determined.
 */
export async function warnOfUnheardChanges(): Promise<boolean | null> {
  const isShared = await withConnections({ connectionString: directDatabaseUrl() }, async (open) =>
    sharesSessions(await open(), open),
  ).catch(noFault);
  if (isShared) {
    const reason = notDirectLine(env().DATABASE_DIRECT_URL !== undefined);
    log("warn", "live.not_heard", { reason, see: "docs/operations.md, Connection pooling with PgBouncer" });
  }
  return isShared === null ? null : !isShared;
}
