import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyLocalSettings, readCredentials, writeCredentials } from "./settings";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "messaging-local-"));
  vi.stubEnv("SECRET_KEY", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

test("an empty DATABASE_URL means the embedded database, as a missing one does", () => {
  vi.stubEnv("DATABASE_URL", "");
  expect(() => applyLocalSettings(dataDir, "production")).not.toThrow();
});

/** Runs code of ours where no file can grow, as on a full disk. @returns the error. */
function whereDiskIsFull(code: string): string {
  const text = `import * as local from ${JSON.stringify(path.resolve("scripts/local/settings.ts"))};
    try { ${code} } catch (thrown) { process.stdout.write(String(thrown)); }`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", text];
  const limited = ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, ...args];
  return execFileSync("sh", limited, { encoding: "utf8", env: { PATH: process.env.PATH, NODE_ENV: "test" } });
}

test("a full disk leaves the credentials unchanged, and no partial secret key", () => {
  const credentials = { url: "http://127.0.0.1:3000", email: "demo@example.com", password: "p", apiKey: "k" };
  writeCredentials(dataDir, credentials);
  const folder = JSON.stringify(dataDir);
  expect(whereDiskIsFull(`local.writeCredentials(${folder}, ${JSON.stringify(credentials)});`)).toMatch(
    /credentials.json cannot be written: EFBIG/,
  );
  expect(readCredentials(dataDir)).toEqual(credentials);
  expect(whereDiskIsFull(`local.applyLocalSettings(${folder}, "production");`)).toMatch(
    /secret-key cannot be written: EFBIG/,
  );
  expect(readdirSync(dataDir)).toEqual(["credentials.json"]);
});

test("an empty secret key, which a full disk left behind, is replaced", () => {
  const file = path.join(dataDir, "secret-key");
  writeFileSync(file, "");
  applyLocalSettings(dataDir, "production");
  expect(process.env.SECRET_KEY).toHaveLength(44);
  expect(readFileSync(file, "utf8")).toBe(process.env.SECRET_KEY);
});
