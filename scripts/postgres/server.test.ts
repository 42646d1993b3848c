import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../is-alive";
import { type RunningPostgres, startPostgres } from "./server";

let folder = "";
let data = "";
const started: RunningPostgres[] = [];

beforeEach(() => {
  // Closed to other users, including the server's user when root runs this.
  folder = mkdtempSync(path.join(tmpdir(), "messaging-postgres-"));
  data = path.join(folder, "data");
});

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<RunningPostgres> {
  const server = await startPostgres(data, { fsync: "off" });
  started.push(server);
  return server;
}

async function ask<Row extends pg.QueryResultRow>(server: RunningPostgres, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url("postgres") });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const pidOnFile = () => Number(readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n")[0]);

test("a server runs in a folder that is closed to everybody else, and keeps its data", async () => {
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const first = await start();
  await ask(first, "CREATE TABLE kept AS SELECT 7 AS n");
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);
  expect(await ask(await start(), "SELECT n FROM kept")).toEqual([{ n: 7 }]);
});

test("neither leftovers of a killed start nor its processes that still write disturb the next start", async () => {
  // The killed start's initdb runs on for a moment, so the folder fills again while it is emptied.
  const left = `${data}.new`;
  const code = `const { mkdirSync, writeFileSync } = require("node:fs");
    for (let at = 0; ; at += 1) try {
      mkdirSync(${JSON.stringify(left)} + "/data", { recursive: true });
      writeFileSync(${JSON.stringify(left)} + "/data/PG_VERSION" + at % 500, "18");
    } catch {}`;
  const initdb = spawn(process.execPath, ["--eval", code], { stdio: "ignore" });
  try {
    await expect.poll(() => existsSync(path.join(left, "data"))).toBe(true);
    expect(await ask(await start(), "SELECT 7 AS n")).toEqual([{ n: 7 }]);
  } finally {
    initdb.kill("SIGKILL");
    await once(initdb, "exit");
  }
});

test("a server that is still running is taken over, even while it recovers from a crash", async () => {
  const first = await start();
  await ask(first, "CREATE TABLE kept AS SELECT generate_series(1, 100000) AS n");
  expect((await start()).pid).toBe(first.pid);
  process.kill(first.pid, "SIGKILL");
  await expect.poll(() => isAlive(first.pid)).toBe(false);
  const second = start();
  await expect.poll(pidOnFile, { interval: 1 }).not.toBe(first.pid);
  expect((await start()).pid).toBe((await second).pid);
  expect(await ask(await second, "SELECT count(*)::int AS n FROM kept")).toEqual([{ n: 100_000 }]);
});

test("another process that got the server's process id is not taken for it", async () => {
  await (await start()).stop();
  writeFileSync(path.join(data, "postmaster.pid"), `${process.pid}\n${data}\n1\n1\n\n127.0.0.1\n`);
  expect((await start()).pid).not.toBe(process.pid);
});
