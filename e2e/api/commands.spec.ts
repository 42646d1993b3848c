import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "@/scripts/free-port";
import { admin } from "../support/accounts";
import { apiWith } from "../support/api";
import { expect, test } from "../test";

/** Runs one of our commands to its end. */
function run(args: string[], env: Record<string, string>): Promise<{ code: number; output: string }> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env: { ...inherited, ...env } }, (_failure, out, error) =>
      resolve({ code: child.exitCode ?? -1, output: out + error }),
    );
  });
}

const start = (env: Record<string, string>) => run([path.join("scripts", "start.mjs")], env);

test("a taken port ends a start with an error that names PORT", async ({ service }) => {
  const port = new URL(service.url).port;
  const { code, output } = await start({ PORT: port, DATA_DIR: path.join(tmpdir(), "never-made") });
  expect(code).toBe(1);
  expect(output).toContain(`Port ${port} is taken`);
  expect(output).toContain("PORT=");
});

test("a second start on the same data folder ends with an error that names the first one's address", async ({
  service,
}) => {
  const { code, output } = await start({ PORT: String(await freePort()), DATA_DIR: service.dataDir });
  expect(code).toBe(1);
  expect(output).toContain(service.url);
});

test("all wrong settings are named at once, each with its purpose", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "messaging-settings-"));
  const { code, output } = await start({ PORT: "http", LOG_LEVEL: "loud", DATA_DIR: dataDir });
  await rm(dataDir, { recursive: true });
  expect(code).toBe(1);
  expect(output).toMatch(/PORT is wrong .*: the port of the web process/);
  expect(output).toMatch(/LOG_LEVEL is wrong .*: lowest level that is logged/);
});

test("the operator's command line creates, credits, approves and counts", async ({ service, account, api }) => {
  const credited = await admin(service, "account", "credit", "--account", account.accountId, "--amount=-0.5");
  expect(credited).toEqual({ accountId: account.accountId, balance: 99.5, currency: "USD" });
  expect((await api.get("/balance")).body.data.balance).toBe(99.5);

  const created = await admin(service, "sender", "create", "--email", account.email, "--sender-id", "OFFICE");
  expect(created).toMatchObject({ accountId: account.accountId, senderId: "OFFICE", status: "pending" });
  const of = ["--email", account.email, "--sender-id", "OFFICE"];
  expect(await admin(service, "sender", "approve", ...of)).toMatchObject({ senderId: "OFFICE", status: "approved" });

  const key = await admin(service, "key", "create", "--email", account.email, "--name", "Ops", "--scopes", "sms:read");
  expect(key).toMatchObject({ accountId: account.accountId, permissions: ["sms:read"] });
  expect(await admin(service, "route", "list")).toContainEqual(
    expect.objectContaining({ prefix: "", chain: ["sandbox"], price: 0.01 }),
  );
});

test("the operator's command line finds a key and revokes it with the keys that it created", async ({
  service,
  account,
  api,
}) => {
  const made = (await api.post("/api-keys/create", { name: "made with it" })).body.data;
  const of = ["--email", account.email];
  const listed = (await admin(service, "key", "list", ...of)) as {
    id: string;
    name: string;
    createdBy: string | null;
  }[];
  const leaked = listed.find(({ createdBy }) => createdBy === null)?.id ?? "";
  expect(listed).toContainEqual(
    expect.objectContaining({ id: made.id, hint: made.key_hint, isActive: true, createdBy: leaked }),
  );
  expect(await admin(service, "key", "revoke", "--id", leaked)).toEqual({
    id: leaked,
    accountId: account.accountId,
    isActive: false,
  });
  for (const key of [account.apiKey, String(made.plain_key)]) {
    await expect.poll(async () => (await apiWith(service, key).get("/account")).status).toBe(401);
  }
});

test("the operator's command line suspends an account and lets it send again", async ({ service, account, api }) => {
  const send = async () =>
    (await api.post("/messages/send", { to: "+14155550123", from: account.sender, body: "Hi" })).status;
  const of = ["--email", account.email];
  expect(await admin(service, "account", "suspend", ...of)).toMatchObject({ status: "suspended" });
  expect(await send()).toBe(403);
  expect(await admin(service, "account", "activate", ...of)).toMatchObject({ status: "active" });
  expect(await send()).toBe(201);
});

// The text of each refusal is tested in scripts/admin/commands.db.test.ts.
test("the operator's command line says what is wrong and exits with 1", async ({ service, account }) => {
  const tell = (...args: string[]) =>
    run([path.join("dist", "admin.mjs"), ...args], { DATA_DIR: service.dataDir, LOG_LEVEL: "error" });
  for (const [args, message] of [
    [["account", "create"], "--email is missing."],
    [["account", "create", "--email", account.email], "There is an account with this email already."],
    [["ledger", "burn"], 'There is no command "ledger burn".'],
  ] as const) {
    const { code, output } = await tell(...args);
    expect(output).toContain(message);
    expect(code).toBe(1);
  }
});

test("credentials are readable by their owner only, and hold everything that a program needs", async ({ service }) => {
  const file = path.join(service.dataDir, "credentials.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    url: service.url,
    email: "demo@example.com",
    password: expect.any(String),
    apiKey: expect.stringMatching(/^ds_live_/),
  });
});
