import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { runProgram } from "@/test/commands";
import { asSuperuser } from "@/test/database/superuser";
import { compareDirectUrl } from "./same-database";

const SECRET_KEY = "0123456789abcdef0123456789abcdef";
const other = `other_${randomBytes(6).toString("hex")}`;
/** Known once the tests run. */
const main = (): string => process.env.DATABASE_URL ?? "";
const nameOf = (url: string): string => new URL(url).pathname.slice(1);

function otherUrl(): string {
  const url = new URL(main());
  url.pathname = `/${other}`;
  return url.href;
}

beforeAll(() => asSuperuser(`CREATE DATABASE ${other}`));
afterAll(() => asSuperuser(`DROP DATABASE ${other} WITH (FORCE)`));

type Program = "web" | "worker" | "migrate";

/** Starts a program, which is to refuse its settings. */
const start = (program: Program, args: string[], env: Record<string, string>) =>
  runProgram([inject("programs")[program], ...args], {
    cwd: ".",
    env: { DATABASE_URL: main(), SECRET_KEY, LOG_LEVEL: "error", ...env },
  });

describe("an address of another database is refused at start", () => {
  const lineOf = (setting: string) =>
    `${setting} leads to the database ${other}, and DATABASE_URL to ${nameOf(main())}: set both to the same one.`;

  test.each<Program>(["web", "worker"])(
    "by a %s process, whether it is the direct one or the standby's",
    async (program) => {
      for (const setting of ["DATABASE_DIRECT_URL", "DATABASE_READ_URL"]) {
        const refused = await start(program, [], { [setting]: otherUrl() });
        expect(refused).toEqual({ code: 1, output: `${program} could not start: ${lineOf(setting)}\n` });
      }
    },
  );

  test("by the migrations, which change nothing there, and by what looks for them", async () => {
    const line = `${lineOf("DATABASE_DIRECT_URL")}\n`;
    expect(await start("migrate", [], { DATABASE_DIRECT_URL: otherUrl() })).toEqual({ code: 1, output: line });
    expect(await start("migrate", ["--check"], { DATABASE_DIRECT_URL: otherUrl() })).toEqual({ code: 4, output: line });
    const client = new pg.Client({ connectionString: otherUrl() });
    await client.connect();
    const { rows } = await client.query("SELECT to_regclass('_prisma_migrations') AS table");
    await client.end();
    expect(rows).toEqual([{ table: null }]);
  });
});

test("two addresses of one database are the same, whatever they are called", async () => {
  const [byName, byAddress] = [new URL(main()), new URL(main())];
  byName.hostname = "localhost";
  byAddress.hostname = "127.0.0.1";
  expect(await compareDirectUrl(byName.href, byAddress.href)).toBeNull();
  expect(await start("migrate", [], { DATABASE_DIRECT_URL: byAddress.href })).toEqual({
    code: 0,
    output: "up to date\n",
  });
});

test("a DATABASE_URL that does not answer keeps no migration from being applied", async () => {
  const env = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none", DATABASE_DIRECT_URL: main() };
  expect(await start("migrate", [], env)).toEqual({ code: 0, output: "up to date\n" });
});
