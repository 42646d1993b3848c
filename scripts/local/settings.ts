/** Settings of the local mode: of `npm start`, `npm run dev` and the end-to-end tests. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readEnv } from "@/server/core/env";
import { writeWhole } from "../whole-file";

const DEFAULTS = {
  SANDBOX: "true",
  SIGN_UP_OPEN: "true",
  SENDER_AUTO_APPROVE_S: "2",
  WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8,::1/128",
  NEXT_TELEMETRY_DISABLED: "1",
  CHECKPOINT_DISABLE: "1",
};

/** Stands for the embedded database until its address is known. */
const DATABASE_TO_COME = "postgresql://embedded";

/** The address and credentials of a local installation; the content of `credentials.json`. */
export type Credentials = { url: string; email: string; password: string; apiKey: string };

/** Folder of everything that outlives a start. */
export const dataFolder = (): string => path.resolve(process.env.DATA_DIR || ".local");

/** The secret key of this data folder, created at its first start. An empty file, as full disks have left it, was never used. */
function secretKey(dataDir: string): string {
  const file = path.join(dataDir, "secret-key");
  const kept = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (kept !== "") return kept;
  const made = randomBytes(32).toString("base64");
  mkdirSync(dataDir, { recursive: true });
  writeWhole(file, made);
  return made;
}

/**
 * Completes this process's environment for the local mode, without overriding anything, and checks all of it.
 * @throws Error that names all wrong settings.
 */
export function applyLocalSettings(dataDir: string, mode: "production" | "development"): void {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value));
  Object.assign(process.env, { SECRET_KEY: given.SECRET_KEY ?? secretKey(dataDir), ...DEFAULTS, ...given });
  Object.assign(process.env, { NODE_ENV: mode });
  readEnv({ ...process.env, DATABASE_URL: process.env.DATABASE_URL || DATABASE_TO_COME });
}

const credentialsFile = (dataDir: string): string => path.join(dataDir, "credentials.json");

/** Credentials saved by an earlier start; null when there are none or the file is incomplete. */
export function readCredentials(dataDir: string): Credentials | null {
  try {
    const read = JSON.parse(readFileSync(credentialsFile(dataDir), "utf8")) as Partial<Credentials>;
    const { url, email, password, apiKey } = read;
    return url && email && password && apiKey ? { url, email, password, apiKey } : null;
  } catch {
    return null;
  }
}

export function writeCredentials(dataDir: string, credentials: Credentials): void {
  writeWhole(credentialsFile(dataDir), `${JSON.stringify(credentials, null, 2)}\n`);
}
