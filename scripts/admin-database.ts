import { randomBytes } from "node:crypto";
import { applyLocalSettings, dataFolder, readCredentials } from "./local";
import { runningStart } from "./lock";

/**
 * Points this process at the database that DATABASE_URL names, else at the one of the running local start.
 * @throws Error when there is neither.
 */
export function chooseDatabase(): void {
  // This command prints its result; log lines are for the service's processes.
  process.env.LOG_LEVEL ??= "error";
  if (process.env.DATABASE_URL) {
    // No command here signs or seals, but all settings are validated together.
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
