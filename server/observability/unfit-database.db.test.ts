import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { runProgram } from "@/test/commands";
import { asSuperuser } from "@/test/database/superuser";

type Program = "web" | "worker" | "migrate";

/** Starts a program, which is to refuse its database. */
const start = async (name: Program, databaseUrl: string) =>
  runProgram([inject("programs")[name]], {
    cwd: ".",
    env: {
      DATABASE_URL: databaseUrl,
      SECRET_KEY: "0123456789abcdef0123456789abcdef",
      PORT: String(await freePort()),
      CONSOLE: "false",
      LOG_LEVEL: "error",
    },
  });

describe("a database without triggers", () => {
  const set = (change: string) =>
    asSuperuser(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I ${change}', current_database());
    END $$`);

  afterEach(() => set("RESET session_replication_role"));

  test.each<Program>(["web", "worker", "migrate"])(
    "%s does not start on connections without triggers",
    async (name) => {
      await set("SET session_replication_role = replica");
      const refused = await start(name, process.env.DATABASE_URL ?? "");
      expect(refused).toEqual({
        code: 1,
        output: expect.stringContaining("The database leaves out triggers (session_replication_role = replica)"),
      });
    },
    60_000,
  );
});

test("migrations name the remedy when their user may not create tables", async () => {
  const name = `foreign_${randomBytes(6).toString("hex")}`;
  const url = new URL(process.env.DATABASE_URL ?? "");
  await asSuperuser(`CREATE DATABASE ${name}`);
  try {
    expect(await start("migrate", Object.assign(url, { pathname: `/${name}` }).href)).toEqual({
      code: 1,
      output:
        `The user "${url.username}" may not create tables in the database "${name}": have its owner run ` +
        `ALTER DATABASE "${name}" OWNER TO "${url.username}" (docs/operations.md, The database).\n`,
    });
    await asSuperuser(`ALTER DATABASE ${name} OWNER TO ${url.username}`);
    expect((await start("migrate", url.href)).code).toBe(0);
  } finally {
    await asSuperuser(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}, 60_000);

describe("a database of another encoding", () => {
  const name = `latin_${randomBytes(6).toString("hex")}`;
  const url = () => Object.assign(new URL(process.env.DATABASE_URL ?? ""), { pathname: `/${name}` }).href;

  beforeAll(() => asSuperuser(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING LATIN1 LOCALE 'C'`));
  afterAll(() => asSuperuser(`DROP DATABASE ${name} WITH (FORCE)`));

  test.each<Program>(["web", "worker", "migrate"])(
    "%s does not start, because most messages could not be stored",
    async (program) => {
      expect(await start(program, url())).toEqual({
        code: 1,
        output: expect.stringContaining("The database has the encoding LATIN1"),
      });
    },
    60_000,
  );
});
