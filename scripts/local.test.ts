import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { applyLocalSettings } from "./local";

test("an empty DATABASE_URL means the embedded database, as a missing one does", () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "messaging-local-"));
  vi.stubEnv("DATABASE_URL", "");
  expect(() => applyLocalSettings(dataDir, "production")).not.toThrow();
  rmSync(dataDir, { recursive: true, force: true });
});
