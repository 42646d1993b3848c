import { beforeAll, expect, inject, test } from "vitest";
import { runProgram } from "@/test/commands";
import { CERTIFIED_HOST } from "@/test/network/server-certificate";
import { pool, prisma, transaction } from "../core/db";
import { encryptionLine } from "./unreachable";

const SECRET_KEY = "0123456789abcdef0123456789abcdef";
const IS_ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
let plain = "";

/** The address of the test's database by the host of the certificate, with these parameters. */
function addressWith(parameters: Record<string, string>): string {
  const url = new URL(plain);
  url.hostname = CERTIFIED_HOST;
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
}

const believing = () => ({ sslmode: "verify-full", sslrootcert: inject("certificate") });

beforeAll(() => {
  plain = process.env.DATABASE_URL ?? "";
  process.env.DATABASE_URL = addressWith(believing());
});

test("statements, transactions and both drivers are encrypted when the address says so", async () => {
  expect((await pool().query(IS_ENCRYPTED)).rows).toEqual([{ ssl: true }]);
  const many = Array.from({ length: 20 }, () =>
    transaction(async (tx) => {
      const [first, second] = await Promise.all([tx.query(IS_ENCRYPTED), tx.query("SELECT 7 AS n")]);
      return { ...first.rows[0], ...second.rows[0] };
    }),
  );
  expect(new Set((await Promise.all(many)).map((row) => JSON.stringify(row)))).toEqual(new Set(['{"ssl":true,"n":7}']));
  expect(await prisma().account.count()).toBe(0);
});

test.each(["web", "worker"] as const)(
  "a certificate that is not believed ends a %s process at its start",
  async (program) => {
    const env = { SECRET_KEY, LOG_LEVEL: "error", DATABASE_URL: addressWith({ sslmode: "verify-full" }) };
    const { code, output } = await runProgram([inject("programs")[program]], { cwd: ".", env });
    expect(output).toMatch(
      new RegExp(
        `^${program} could not start: The certificate of PostgreSQL at localhost:\\d+ is not believed \\(self-signed certificate\\): name the file of its authority in DATABASE_URL, by sslmode=verify-full&sslrootcert=… \\(docs/operations.md, TLS to the database\\)\\.\\n$`,
      ),
    );
    expect(code).toBe(1);
  },
);

test("a certificate of another host is not believed, either", async () => {
  const url = new URL(addressWith(believing()));
  url.hostname = "127.0.0.1";
  const env = { SECRET_KEY, DATABASE_URL: url.href };
  const { code, output } = await runProgram([inject("programs").migrate], { cwd: ".", env });
  expect(output).toMatch(
    /^The certificate of PostgreSQL at 127\.0\.0\.1:\d+ is not believed \(Hostname\/IP does not match/,
  );
  expect(code).toBe(1);
});

test.each(["web", "migrate"] as const)("a file that is missing is named by a %s process", async (program) => {
  const DATABASE_URL = addressWith({ sslmode: "verify-full", sslrootcert: "/nowhere/ca.pem" });
  const { code, output } = await runProgram([inject("programs")[program]], {
    cwd: ".",
    env: { SECRET_KEY, LOG_LEVEL: "error", DATABASE_URL },
  });
  expect(output).toMatch(
    /^(web could not start: )?DATABASE_URL names a file that cannot be read \(ENOENT: .*\/nowhere\/ca\.pem'\): see .*\.\n$/,
  );
  expect(code).toBe(1);
});

test("a migration over TLS is carried out", async () => {
  const env = { SECRET_KEY, DATABASE_URL: addressWith(believing()) };
  expect(await runProgram([inject("programs").migrate], { cwd: ".", env })).toEqual({
    code: 0,
    output: "up to date\n",
  });
});

test("a server without TLS is named as such", () => {
  const thrown = new Error("The server does not support SSL connections");
  expect(encryptionLine(thrown, addressWith({ sslmode: "verify-full" }), "DATABASE_URL")).toMatch(
    /^PostgreSQL at localhost:\d+ has no TLS: set it up there, or take sslmode out of DATABASE_URL /,
  );
  expect(encryptionLine(new Error("connect ECONNREFUSED"), plain, "DATABASE_URL")).toBeNull();
});
