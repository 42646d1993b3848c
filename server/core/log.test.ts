import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import { databaseUnavailable } from "./errors";
import { causeOf, errorFields } from "./log";

test("a line about an error names its first cause, which callers never see", () => {
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");
  const thrown = databaseUnavailable({
    nothingDone: false,
    cause: new Error("The pool has no connection.", { cause: refused }),
  });
  expect(errorFields(thrown)).toMatchObject({ cause: "connect ECONNREFUSED 127.0.0.1:1" });
  expect(errorFields(new Error("Alone."))).not.toHaveProperty("cause");
});

test("a connection that was refused at several addresses names them all", () => {
  const parts = ["connect ECONNREFUSED ::1:5432", "connect ECONNREFUSED 127.0.0.1:5432"];
  const cause = new AggregateError(parts.map((part) => new Error(part)));
  expect(causeOf(new Error("No database.", { cause }))).toBe(parts.join("; "));
});

const env = {
  ...{ ...process.env, DATABASE_URL: "postgresql://nobody@127.0.0.1/none" },
  ...{ SECRET_KEY: "0".repeat(32), LOG_LEVEL: "info" },
};
const argumentsOf = (program: string) => ["--import", "tsx", "--input-type=module", "-e", program];

test("a process goes on while nobody reads its lines, and writes them once somebody does", async () => {
  const program = `
    import { log } from "./server/core/log.ts";
    // From here on the system refuses to wait at a full pipe.
    process.stdout;
    for (let n = 0; n < 500; n += 1) log("info", "a.line", { n, text: "x".repeat(1_000) });
    process.send("went on");
    process.on("message", () => process.exit());`;
  const child = spawn(process.execPath, argumentsOf(program), { env, stdio: ["ignore", "pipe", "inherit", "ipc"] });
  let written = "";
  await new Promise((resolve) => child.once("message", resolve));
  child.stdout?.on("data", (chunk) => {
    written += chunk;
  });
  await expect.poll(() => written.trimEnd().split("\n").length).toBe(500);
  expect(
    written
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).n),
  ).toEqual([...Array(500).keys()]);
  child.kill("SIGKILL");
});

const FULL = "/dev/full";

test.skipIf(!existsSync(FULL))("a process goes on when there is no room for its lines, and keeps few of them", () => {
  const program = `
    import { log } from "./server/core/log.ts";
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 50_000; n += 1) log(n % 2 ? "warn" : "info", "a.line", { text: "x".repeat(1_000) });
    process.exitCode = process.memoryUsage().rss - before < 40_000_000 ? 42 : 1;`;
  const full = openSync(FULL, "w");
  try {
    const run = () => execFileSync(process.execPath, argumentsOf(program), { stdio: ["ignore", full, full], env });
    expect(run).toThrow(expect.objectContaining({ status: 42 }));
  } finally {
    closeSync(full);
  }
});

test("an exception's message, stack and cause are cut, however long its message is, and the calls stay", () => {
  const long = "x".repeat(1_000_000);
  const fields = errorFields(new Error(long, { cause: new Error(long) }));
  expect(fields.error).toMatch(/^Error: x+… \[1000007 characters\]$/);
  for (const text of [fields.error, fields.cause, fields.stack]) expect(text?.length).toBeLessThan(10_000);
  expect(fields.stack).toContain("log.test.ts");
  expect(errorFields(long).error.length).toBeLessThan(10_000);
});

test("a short exception is logged as it is", () => {
  const thrown = new Error("Short.");
  expect(errorFields(thrown)).toEqual({ error: "Error: Short.", stack: thrown.stack });
});
