import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { applyLocalSettings, openDatabase } from "./local";

test("an empty DATABASE_URL means the embedded database, as a missing one does", () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "messaging-local-"));
  vi.stubEnv("DATABASE_URL", "");
  expect(() => applyLocalSettings(dataDir, "production")).not.toThrow();
  rmSync(dataDir, { recursive: true, force: true });
});

test("migrations go past the pooler that DATABASE_URL leads through", async () => {
  const [url, directUrl] = ["postgresql://127.0.0.1:1/messaging", "postgresql://127.0.0.1:2/messaging"];
  vi.stubEnv("DATABASE_URL", url);
  vi.stubEnv("DATABASE_DIRECT_URL", "");
  await expect(openDatabase("unused")).resolves.toEqual({ url, directUrl: url, server: null });
  vi.stubEnv("DATABASE_DIRECT_URL", directUrl);
  await expect(openDatabase("unused")).resolves.toEqual({ url, directUrl, server: null });
});

test("an address past the pooler without one through it is refused", async () => {
  vi.stubEnv("DATABASE_URL", "");
  vi.stubEnv("DATABASE_DIRECT_URL", "postgresql://127.0.0.1:2/messaging");
  await expect(openDatabase("unused")).rejects.toThrow("DATABASE_URL is not: set both, or none");
});
