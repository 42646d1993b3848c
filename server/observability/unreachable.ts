/** Why a database cannot be used, as one line for people who start a program by hand. */
import pg from "pg";
import { isConnectionFailure } from "../core/database/connection-failure";
import { isDatabaseUrl, URL_FORM } from "../core/env";
import { errorCodeOf } from "../core/errors";
import type { MigrationState } from "./migration-state";
import { tooNewLine } from "./migration-state";

const CONNECT_WITHIN_MS = 5_000;

/** TLS codes for a certificate that this process does not trust. */
const CERTIFICATE =
  /^(CERT_|(DEPTH_ZERO_)?SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|ERR_TLS_CERT_ALTNAME_INVALID)/;
/** The driver's words, which have no code. */
const UNENCRYPTED = "The server does not support SSL connections";
const SEE_TLS = "docs/operations.md, TLS to the database";

/** Where an address leads to, without its password. */
type Place = { server: string; database: string; user: string; isEncrypted: boolean };

/** As the driver understands the address, even one without a user, a port or a database. */
function placeOf(connectionString: string): Place {
  const { host, port, database = "", user = "", ssl } = new pg.Client({ connectionString });
  return { server: `${host}:${port}`, database, user, isEncrypted: Boolean(ssl) };
}

const wordsOf = (thrown: unknown): string =>
  (thrown instanceof Error && thrown.message) || errorCodeOf(thrown) || "no reason is known";

/** Whether the driver could not read a file that the address names. */
const isOfFile = (thrown: unknown): boolean =>
  thrown instanceof Error && "syscall" in thrown && thrown.syscall === "open";

/**
 * A line on encryption that is impossible, however long one waits; null for another failure.
 * @param setting the name of the setting that has the address.
 */
export function encryptionLine(thrown: unknown, address: string, setting: string): string | null {
  if (isOfFile(thrown)) return `${setting} names a file that cannot be read (${wordsOf(thrown)}): see ${SEE_TLS}.`;
  const { server } = placeOf(address);
  if (CERTIFICATE.test(errorCodeOf(thrown)))
    return `The certificate of PostgreSQL at ${server} is not believed (${wordsOf(thrown)}): name the file of its authority in ${setting}, by sslmode=verify-full&sslrootcert=… (${SEE_TLS}).`;
  return wordsOf(thrown) === UNENCRYPTED
    ? `PostgreSQL at ${server} has no TLS: set it up there, or take sslmode out of ${setting} (${SEE_TLS}).`
    : null;
}

/**
 * A line on why no connection could be opened, with what to do; null for a failure of another kind.
 * @param setting the name of the setting that has the address.
 */
function unreachableLine(thrown: unknown, address: string, setting: string): string | null {
  const encryption = encryptionLine(thrown, address, setting);
  if (encryption !== null) return encryption;
  const { server, database, user, isEncrypted } = placeOf(address);
  switch (errorCodeOf(thrown)) {
    case "3D000":
      return `PostgreSQL at ${server} has no database "${database}": create it (docs/operations.md, The database), or correct ${setting}.`;
    case "28P01":
    case "28000":
      return `PostgreSQL at ${server} does not let the user "${user}" in (${wordsOf(thrown)}): correct user and password in ${setting}, or pg_hba.conf${isEncrypted ? "" : `; if it wants TLS, add ?sslmode=verify-full (${SEE_TLS})`}.`;
    case "42501":
      return `The user "${user}" may not use the database "${database}" (${wordsOf(thrown)}): grant it, or correct ${setting}.`;
    case "57P03":
    case "53300":
      return `PostgreSQL at ${server} takes no connection at the moment (${wordsOf(thrown)}): try again later.`;
    default:
      if (!isConnectionFailure(thrown)) return null;
      return `PostgreSQL cannot be reached at ${server} (${wordsOf(thrown)}): start it, or correct ${setting}.`;
  }
}

/** A line on a database whose tables are not those of this version, with what to do; null when they are. */
export function schemaLine(state: MigrationState): string | null {
  const { applied, pending } = state;
  const refusal = tooNewLine(state);
  if (refusal !== null) return refusal;
  if (pending.length === 0) return null;
  return applied.length === 0
    ? "The database has no tables of the service yet: run `npm run migrate` with the same DATABASE_URL first."
    : `The database is older than this version of the service, and lacks ${pending.length} of its migrations: run \`npm run migrate\` with the same DATABASE_URL first.`;
}

/**
 * Opens a connection for a program that is started by hand, which waits for no database.
 * @throws Error with one line for people.
 */
export async function connectOrSay(address: string, setting: string): Promise<pg.Client> {
  // The driver's message names neither the setting nor the fault.
  if (!isDatabaseUrl(address)) throw new Error(`${setting} ${URL_FORM}.`);
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ connectionString: address, connectionTimeoutMillis: CONNECT_WITHIN_MS });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  } catch (thrown) {
    void client?.end().catch(() => undefined);
    const line = unreachableLine(thrown, address, setting);
    throw line === null ? thrown : new Error(line, { cause: thrown });
  }
}
