import { expect, test, vi } from "vitest";
import { openDatabase } from "./open-database";

/** Where no server can be started, should the addresses be ignored. */
const NO_FOLDER = "/dev/null";

test("migrations go past the pooler that DATABASE_URL leads through", async () => {
  const [url, directUrl] = ["postgresql://127.0.0.1:1/messaging", "postgresql://127.0.0.1:2/messaging"];
  vi.stubEnv("DATABASE_URL", url);
  vi.stubEnv("DATABASE_DIRECT_URL", "");
  await expect(openDatabase(NO_FOLDER)).resolves.toEqual({ url, directUrl: url, server: null });
  vi.stubEnv("DATABASE_DIRECT_URL", directUrl);
  await expect(openDatabase(NO_FOLDER)).resolves.toEqual({ url, directUrl, server: null });
});

test("an address past the pooler without one through it is refused", async () => {
  vi.stubEnv("DATABASE_URL", "");
  vi.stubEnv("DATABASE_DIRECT_URL", "postgresql://127.0.0.1:2/messaging");
  await expect(openDatabase(NO_FOLDER)).rejects.toThrow("DATABASE_URL is not: set both, or none");
});
