import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { lockWaits, openTransaction } from "@/test/database/lock-waits";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { serveRest } from "../api/rest";
import { pool } from "../core/db";
import { QUEUES } from "../core/jobs";
import { workerId } from "../core/worker-id";
import { invalidateGauges } from "./gauges";
import { observeRequest } from "./requests";
import { startObservability } from "./tasks";

const TOKEN = "a-token-of-this-test";
let url = "";

/** Both are in Debian's package `prometheus`. */
const isInstalled = (command: string): boolean => spawnSync(command, ["--version"]).status === 0;

const scrape = (authorization = `Bearer ${TOKEN}`) => fetch(`${url}/metrics`, { headers: { authorization } });
const text = async () => (await scrape()).text();

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  Object.assign(process.env, { METRICS_PORT: String(port), METRICS_TOKEN: TOKEN });
  await makeRoute();
  await startObservability("");
});

afterAll(() => pool().query("DELETE FROM workers"));

const heartbeat = (id: string, startedS: number) =>
  pool().query(
    `INSERT INTO workers (id, started_at, seen_at)
     VALUES ($1, now() - $2 * interval '1 second', clock_timestamp() + interval '1 hour')
     ON CONFLICT DO NOTHING`,
    [id, startedS],
  );

test("a scrape without the token gets nothing; health needs none", async () => {
  expect((await scrape("Bearer wrong")).status).toBe(401);
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  const ready = await fetch(`${url}/health/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ failing: ["workers"] });
  expect((await fetch(`${url}/`)).status).toBe(404);
});

test("a request through the API is counted by its operation, and its messages once", async () => {
  const { plainKey, senderId } = await makeAccount();
  const send = () => {
    const body = JSON.stringify({ to: "+15550100001", from: senderId, body: "a text that no metric shows" });
    const headers: Record<string, string> = {
      authorization: `Bearer ${plainKey}`,
      "content-type": "application/json",
      "idempotency-key": "once",
    };
    const asked = {
      method: "POST",
      path: "/messages/send",
      query: "",
      peer: "127.0.0.1",
      header: (name: string) => headers[name],
      readBody: () => Promise.resolve(Buffer.from(body)),
    };
    return observeRequest(asked, () => serveRest(asked));
  };
  expect((await send()).response.status).toBe(201);
  // A replay stores nothing.
  expect((await send()).response.status).toBe(201);
  const metrics = await text();
  expect(metrics).toContain('messaging_http_request_duration_seconds_count{operation="messages.send",status="2xx"} 2');
  expect(metrics).toContain("messaging_messages_accepted_total 1");
  expect(metrics).toMatch(/messaging_batch_items_count\{batch="accept"\} 2/);
  expect(metrics).toMatch(/messaging_db_pool_wait_seconds_count\{pool="main"\} [1-9]/);
  expect(metrics).not.toContain("a text that no metric shows");
});

test("a worker counts every recurring job from 0, so that alerts see that one was never done", async () => {
  const lines = new Set((await text()).split("\n"));
  for (const task of [...QUEUES.sweeps, ...QUEUES.housekeeping]) {
    expect(lines).toContain(`messaging_job_duration_seconds_count{task="${task}",outcome="done"} 0`);
  }
});

test("of two workers only the one that has run for longer reads the queue, and the other follows it", async () => {
  await heartbeat("another-worker", 100);
  await heartbeat(workerId(), 50);
  invalidateGauges();
  expect(await text()).not.toMatch(/^messaging_(queue_jobs|workers_alive)/m);
  await pool().query("DELETE FROM workers WHERE id = 'another-worker'");
  invalidateGauges();
  const metrics = await text();
  expect(metrics).toContain("messaging_workers_alive 1");
  expect(metrics).toContain('messaging_queue_jobs{task="dispatch_messages",state="due"} 1');
});

test("a scrape does not wait for a database that does not respond, and shows the metrics of the process", async () => {
  await heartbeat(workerId(), 50);
  const failures = async () => Number(/^messaging_scrape_failures_total (\d+)/m.exec(await text())?.[1]);
  const before = await failures();
  const hanging = await openTransaction((tx) => tx.query("LOCK TABLE waiting_messages IN ACCESS EXCLUSIVE MODE"));
  try {
    invalidateGauges();
    const metrics = await text();
    expect(await lockWaits("FROM waiting_messages")).toHaveLength(1);
    expect(metrics).toMatch(/^messaging_build_info/m);
    expect(metrics).not.toMatch(/^messaging_(queue_jobs|workers_alive|throttle_queue)/m);
  } finally {
    await hanging.commit();
  }
  expect(await failures()).toBe(before + 1);
  expect(await text()).toContain("messaging_workers_alive 1");
});

test("rows that have died in the lists by status are counted until they are removed", async () => {
  await pool().query(
    "INSERT INTO pending_messages (account_id, message_id, created_at) SELECT 'acc_', n::text, now() FROM generate_series(1, 100) n",
  );
  await pool().query("DELETE FROM pending_messages WHERE account_id = 'acc_'");
  const dead = async () => {
    invalidateGauges();
    return Number(/^messaging_database_dead_rows (\d+)/m.exec(await text())?.[1]);
  };
  // The server counts them when the connection has been idle for a moment.
  await expect.poll(dead).toBeGreaterThanOrEqual(100);
});

test.skipIf(!isInstalled("promtool"))("promtool finds no fault in our metrics (skipped without promtool)", async () => {
  const { stderr } = spawnSync("promtool", ["check", "metrics"], { input: await text(), encoding: "utf8" });
  // All others are Node's own metrics, whose names are not ours.
  expect(stderr.split("\n").filter((line) => line.includes("messaging_") || line.startsWith("error"))).toEqual([]);
});

const scraping = "a real Prometheus scrapes it and evaluates the alert rules (skipped without prometheus)";
test.skipIf(!isInstalled("prometheus"))(
  scraping,
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "messaging-prometheus-"));
    const port = await freePort();
    const config = {
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [path.resolve("deploy/prometheus/alerts.yml")],
      scrape_configs: [
        {
          job_name: "messaging-worker",
          authorization: { credentials: TOKEN },
          static_configs: [{ targets: [url.replace("http://", "")] }],
        },
      ],
    };
    // JSON is YAML.
    await writeFile(path.join(folder, "prometheus.yml"), JSON.stringify(config));
    const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
    const prometheus = spawn("prometheus", [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: "ignore" });
    try {
      const ask = async (what: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/${what}`).catch(() => null);
        return response?.ok ? ((await response.json()) as { data: Record<string, never> }).data : null;
      };
      type Found = { result: { value: [number, string] }[] } | null;
      const accepted = async () =>
        ((await ask("query?query=messaging_messages_accepted_total")) as Found)?.result[0]?.value[1];
      await expect.poll(accepted).toBe("1");
      type Rules = { groups: { rules: { name: string; health: string }[] }[] } | null;
      const evaluated = async () =>
        ((await ask("rules")) as Rules)?.groups.flatMap(({ rules }) => rules.map(({ health }) => health));
      await expect.poll(async () => new Set(await evaluated())).toEqual(new Set(["ok"]));
      expect((await evaluated())?.length).toBeGreaterThan(8);
    } finally {
      prometheus.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  },
  90_000,
);

test.skipIf(!isInstalled("promtool")).each([
  ["rules", "deploy/prometheus/alerts.yml"],
  ["config", "deploy/prometheus/prometheus.yml"],
])("promtool finds no fault in the %s (skipped without promtool)", (kind, file) => {
  expect(execFileSync("promtool", ["check", kind, file], { encoding: "utf8" })).toContain("SUCCESS");
});
