import * as childProcess from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { shutDown } from "../../core/process";
import { pagesProcess } from "../../observability/pages-state";
import { startPagesProcess } from "./pages-process";

vi.mock("node:child_process", { spy: true });

const folder = mkdtempSync(path.join(os.tmpdir(), "pages-process-"));
const servers: Array<() => void> = [];

beforeAll(() => {
  vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
  vi.stubEnv("SECRET_KEY", "0".repeat(32));
  vi.stubEnv("LOG_LEVEL", "silent");
});
afterEach(async () => {
  for (const close of servers.splice(0)) close();
  await shutDown();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A pages process of a few lines: its process id is its page, and `/die` ends it. */
const PAGES = `
import { createServer } from "node:http";
process.on("SIGTERM", () => undefined);
process.on("disconnect", () => process.exit());
createServer((request, response) => {
  if (request.url === "/die") process.kill(process.pid, "SIGKILL");
  else response.end(String(process.pid) + " " + process.env.DATABASE_POOL_SIZE);
}).listen(process.argv[2], () => process.send({ metrics: "# HELP a b" }));
`;

function script(text: string): string {
  const file = path.join(folder, `${Math.random()}.mjs`);
  writeFileSync(file, text);
  return file;
}

async function startFront(text: string) {
  const toPages = await startPagesProcess(script(text));
  const server = createServer((request, response) => void toPages(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return (target: string) => fetch(`http://127.0.0.1:${port}${target}`);
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("if it dies, its callers get 503 with Retry-After, and it is started again", async () => {
  const get = await startFront(PAGES);
  const [pid = ""] = (await (await get("/")).text()).split(" ");
  expect(pagesProcess()).toMatchObject({ isUp: true, restarts: 0, metrics: "# HELP a b" });
  const refused = await get("/die");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect((await get("/api/auth/session")).headers.get("content-type")).toContain("application/json");
  await expect.poll(async () => (await get("/")).status).toBe(200);
  const [next] = (await (await get("/")).text()).split(" ");
  expect(next).not.toBe(pid);
  expect(pagesProcess()).toMatchObject({ isUp: true, restarts: 1 });
});

test("it has few database connections, and ends with an orderly stop", async () => {
  const get = await startFront(PAGES);
  const [pid, connections] = (await (await get("/")).text()).split(" ").map(Number);
  expect(connections).toBe(5);
  expect(isRunning(pid ?? 0)).toBe(true);
  await shutDown();
  expect(isRunning(pid ?? 0)).toBe(false);
});

test("if it cannot start, that is an error, and no other start is tried", async () => {
  await expect(startPagesProcess(script("process.exit(3);"))).rejects.toThrow("could not start (code 3)");
  expect(pagesProcess()).toMatchObject({ isUp: false, restarts: 0 });
});

test("if the system has no memory for another process, starting is tried again", async () => {
  const get = await startFront(PAGES);
  vi.mocked(childProcess.fork).mockImplementationOnce(() => {
    throw Object.assign(new Error("spawn ENOMEM"), { code: "ENOMEM" });
  });
  expect((await get("/die")).status).toBe(503);
  await expect.poll(async () => (await get("/")).status).toBe(200);
  expect(pagesProcess()).toMatchObject({ isUp: true, restarts: 2 });
});
