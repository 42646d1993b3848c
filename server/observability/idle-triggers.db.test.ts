import { afterEach, expect, inject, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { runProgram } from "@/test/commands";
import { asSuperuser } from "@/test/database/superuser";

const set = (change: string) =>
  asSuperuser(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I ${change}', current_database());
  END $$`);

afterEach(() => set("RESET session_replication_role"));

test.each(["web", "worker", "migrate"] as const)(
  "%s does not start on connections without triggers",
  async (name) => {
    await set("SET session_replication_role = replica");
    const refused = await runProgram([inject("programs")[name]], {
      cwd: ".",
      env: {
        DATABASE_URL: process.env.DATABASE_URL ?? "",
        SECRET_KEY: "0123456789abcdef0123456789abcdef",
        PORT: String(await freePort()),
        CONSOLE: "false",
        LOG_LEVEL: "error",
      },
    });
    expect(refused).toEqual({
      code: 1,
      output: expect.stringContaining("The database leaves out triggers (session_replication_role = replica)"),
    });
  },
  60_000,
);
