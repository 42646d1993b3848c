import { expect, test, vi } from "vitest";
import { openDatabase } from "./open-database";

/** A path where no server can start, so that the test fails if the addresses are ignored. */
const NO_FOLDER = "/dev/null";

test("migrations bypass the pooler in DATABASE_URL", async () => {
  const [url, directUrl] = ["postgresql://127.0.0.1:1/messaging", "postgresql://127.0.0.1:2/messaging"];
  vi.stubEnv("DATABASE_URL", url);
  vi.stubEnv("DATABASE_DIRECT_URL", "");
  await expect(openDatabase(NO_FOLDER)).resolves.toEqual({ url, directUrl: url, server: null });
  vi.stubEnv("DATABASE_DIRECT_URL", directUrl);
  await expect(openDatabase(NO_FOLDER)).resolves.toEqual({ url, directUrl, server: null });
});

test("a direct address without a DATABASE_URL is refused", async () => {
  vi.stubEnv("DATABASE_URL", "");
  vi.stubEnv("DATABASE_DIRECT_URL", "postgresql://127.0.0.1:2/messaging");
  await expect(openDatabase(NO_FOLDER)).rejects.toThrow("DATABASE_URL is not: set both, or none");
});
