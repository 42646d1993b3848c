import { randomBytes } from "node:crypto";
import { readMigrationState } from "@/server/observability/migrations";
import { connectOrSay, schemaLine } from "@/server/observability/unreachable";
import { runningStart } from "../local/lock";
import { applyLocalSettings, dataFolder, readCredentials } from "../local/settings";

let isKeyMadeUp = false;

/** @throws Error when SECRET_KEY is not set, because sealed data could not be opened. */
export function requireSecretKey(): void {
  if (isKeyMadeUp) throw new Error("Set SECRET_KEY, and SECRET_KEY_PREVIOUS, as for the service's own processes.");
}

/** @throws Error when a setting is missing without which an email could not be opened by a worker, or would link to this machine. */
export function requireMailSettings(): void {
  requireSecretKey();
  if (!process.env.PUBLIC_URL)
    throw new Error("Set PUBLIC_URL as for the service's own processes: an email links to it.");
}

/**
 * Points this process at the database that DATABASE_URL names, else at the database of the running local start.
 * @throws Error when there is neither.
 */
export function chooseDatabase(): void {
  // This command prints its result; log lines are for the service's processes.
  process.env.LOG_LEVEL ??= "error";
  if (process.env.DATABASE_URL) {
    // A made-up key satisfies the validation of all settings; the few commands that sign or seal call requireSecretKey.
    isKeyMadeUp = !process.env.SECRET_KEY;
    process.env.SECRET_KEY ||= randomBytes(32).toString("base64");
    return;
  }
  const dataDir = dataFolder();
  const databaseUrl = runningStart(dataDir)?.databaseUrl;
  if (!databaseUrl) {
    throw new Error(`No database: set DATABASE_URL, or run \`npm start\` first (looked for it in ${dataDir}).`);
  }
  process.env.DATABASE_URL = databaseUrl;
  // Links lead to the running service, not to the default address.
  process.env.PUBLIC_URL ||= readCredentials(dataDir)?.url;
  applyLocalSettings(dataDir, "production");
}

/**
 * Refuses a database that cannot be reached, or whose tables belong to another version.
 * @throws Error with a one-line message for people.
 */
export async function refuseUnfitDatabase(): Promise<void> {
  const client = await connectOrSay(process.env.DATABASE_URL ?? "", "DATABASE_URL");
  try {
    const line = schemaLine(await readMigrationState(client));
    if (line !== null) throw new Error(line);
  } finally {
    await client.end();
  }
}
