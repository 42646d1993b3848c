import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { startSmsc } from "@/test/carriers/smsc";
import { makeAccount, newOperator, personOf } from "@/test/database/seed";
import { MINUTE_MS } from "../core/clock";
import { pool, prisma } from "../core/db";
import { isReceiptToken } from "./receipt-url";
import { invalidateProviders, providerTable } from "./registry";
import { testProvider } from "./send-test";
import { closeBreaker, drainProvider, getProvider, listProviders, rotateReceiptUrl, throttleProvider } from "./service";
import { clearSettings, saveSettings } from "./stored-settings";

const operator = newOperator();

const SECRET = "not-for-anybody-4711";
const ACCOUNT_SID = `AC${"0".repeat(32)}`;

/** A provider's API on loopback, which responds on demand. */
async function startUpstream() {
  const answers: Array<() => void> = [];
  const server = createServer((_request, response) => {
    answers.push(() => response.writeHead(201, { "content-type": "application/json" }).end('{"sid":"SM1"}'));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers };
}

const rowOf = async (id: string): Promise<string> =>
  JSON.stringify((await pool().query("SELECT * FROM providers WHERE id = $1", [id])).rows);

test("everyone except operators is refused everything, with a session and with a key", async () => {
  const { actor, accountId } = await makeAccount();
  const session = personOf({ accountId });
  const refused = { status: 403, wire: { details: { reason: "not_an_operator" } } };
  for (const somebody of [actor, session]) {
    for (const operation of [
      () => listProviders(somebody),
      () => getProvider(somebody, { id: "vonage" }),
      () => saveSettings(somebody, { id: "vonage", settings: {} }),
      () => clearSettings(somebody, { id: "vonage" }),
      () => drainProvider(somebody, { id: "vonage", is_drained: true }),
      () => throttleProvider(somebody, { id: "vonage", max_segments_per_second: 1 }),
      () => closeBreaker(somebody, { id: "vonage" }),
      () => rotateReceiptUrl(somebody, { id: "vonage" }),
      () => testProvider(somebody, { id: "vonage", to: "+14155550123", from: "ACME", body: "Hello" }),
    ]) {
      await expect(operation()).rejects.toMatchObject(refused);
    }
  }
  expect(await prisma().provider.findUnique({ where: { id: "vonage" } })).toBeNull();
});

test("a secret is sealed at rest, kept when nothing is entered for it, and in no response", async () => {
  const save = (settings: Record<string, string | null>) => saveSettings(operator, { id: "twilio", settings });
  await expect(save({ accountSid: ACCOUNT_SID })).rejects.toMatchObject({ status: 400, wire: { param: "authToken" } });
  await expect(save({ accountSid: ACCOUNT_SID, color: "red" })).rejects.toMatchObject({ wire: { param: "color" } });
  expect((await getProvider(operator, { id: "twilio" })).state).toBe("not_configured");

  await save({ accountSid: ACCOUNT_SID, authToken: SECRET });
  expect(await rowOf("twilio")).not.toContain(SECRET);
  expect(await rowOf("twilio")).not.toContain(ACCOUNT_SID);
  const shown = await getProvider(operator, { id: "twilio" });
  expect(shown).toMatchObject({ state: "working", source: "operator", problem: null });
  expect(shown.settings.find(({ name }) => name === "authToken")).toMatchObject({
    is_secret: true,
    is_set: true,
    value: null,
  });
  expect(shown.settings.find(({ name }) => name === "accountSid")).toMatchObject({ value: ACCOUNT_SID });

  const other = `AC${"1".repeat(32)}`;
  await save({ accountSid: other, authToken: "" });
  const answers = [
    await getProvider(operator, { id: "twilio" }),
    await listProviders(operator),
    await drainProvider(operator, { id: "twilio", is_drained: false }),
    await throttleProvider(operator, { id: "twilio", max_segments_per_second: 20 }),
    await closeBreaker(operator, { id: "twilio" }),
  ];
  expect(JSON.stringify(answers)).not.toContain(SECRET);
  expect((await providerTable()).openAdapter("twilio")).not.toBeNull();

  await clearSettings(operator, { id: "twilio" });
  expect(await getProvider(operator, { id: "twilio" })).toMatchObject({ state: "not_configured", source: null });
  expect((await providerTable()).isRoutable("twilio")).toBe(false);
});

test("a secret is removed by null, and sent only to the address that it was entered for", async () => {
  const save = (settings: Record<string, string | null>) => saveSettings(operator, { id: "sinch", settings });
  const isSet = async (name: string) =>
    (await getProvider(operator, { id: "sinch" })).settings.find((field) => field.name === name)?.is_set;
  const plan = { servicePlanId: "plan" };
  await save({ ...plan, apiToken: SECRET, webhookSecret: SECRET });
  await save({ ...plan, webhookSecret: null });
  expect(await isSet("webhookSecret")).toBe(false);
  expect(await isSet("apiToken")).toBe(true);
  await expect(save({ ...plan, apiToken: null })).rejects.toMatchObject({ status: 400, wire: { param: "apiToken" } });

  const elsewhere = { ...plan, baseUrl: "https://elsewhere.example" };
  await expect(save(elsewhere)).rejects.toMatchObject({ status: 400, wire: { param: "apiToken" } });
  await save({ ...elsewhere, apiToken: SECRET });
  await save({ ...elsewhere, apiToken: "" });
  await expect(save(plan)).rejects.toMatchObject({ status: 400, wire: { param: "apiToken" } });
  expect(await isSet("apiToken")).toBe(true);
  await clearSettings(operator, { id: "sinch" });
});

test("settings sealed with another key are misconfigured, and may be entered again", async () => {
  await prisma().provider.create({ data: { id: "plivo", settingsSealed: "v1.AAAA" } });
  invalidateProviders();
  expect(await getProvider(operator, { id: "plivo" })).toMatchObject({ state: "misconfigured", source: "operator" });
  await saveSettings(operator, { id: "plivo", settings: { authId: "MA123", authToken: SECRET } });
  expect((await getProvider(operator, { id: "plivo" })).state).toBe("working");
});

test("drained and open are different states, and closing the breaker clears the last error", async () => {
  await saveSettings(operator, { id: "vonage", settings: { apiKey: "k", apiSecret: SECRET } });
  expect(await drainProvider(operator, { id: "vonage", is_drained: true })).toMatchObject({
    state: "drained",
    is_drained: true,
  });
  expect((await drainProvider(operator, { id: "vonage", is_drained: false })).state).toBe("working");
  const openUntil = new Date(Date.now() + MINUTE_MS);
  await prisma().provider.update({
    where: { id: "vonage" },
    data: { breaker: "open", opens: 3, probesLeft: 2, openUntil, lastError: "10 calls in a row failed", health: 0.2 },
  });
  const closed = await closeBreaker(operator, { id: "vonage" });
  expect(closed).toMatchObject({ state: "working", alarm: null, open_until: null });
  expect(await prisma().provider.findUniqueOrThrow({ where: { id: "vonage" } })).toMatchObject({
    breaker: "closed",
    opens: 0,
    probesLeft: 0,
  });
  expect(await throttleProvider(operator, { id: "vonage", max_segments_per_second: 2.5 })).toMatchObject({
    max_segments_per_second: 2.5,
  });
  expect(
    (await throttleProvider(operator, { id: "vonage", max_segments_per_second: null })).max_segments_per_second,
  ).toBe(null);
});

test("the figures are those of the last 60 minutes", async () => {
  const at = (minutesAgo: number) => new Date((Math.floor(Date.now() / MINUTE_MS) - minutesAgo) * MINUTE_MS);
  await prisma().providerMinute.createMany({
    data: [
      { provider: "clickatell", minute: at(120), accepted: 100, latencyMs: 1_000n },
      { provider: "clickatell", minute: at(5), accepted: 3, failed: 1, unknown: 1, latencyMs: 1_000n, receipts: 2 },
      { provider: "bandwidth", minute: at(5), accepted: 7 },
    ],
  });
  const { last_hour, minutes } = await getProvider(operator, { id: "clickatell" });
  expect(last_hour).toMatchObject({ calls: 5, success_share: 0.75, mean_latency_ms: 200, unknown: 1, receipts: 2 });
  expect(minutes).toHaveLength(60);
  expect(minutes.reduce((sum, point) => sum + point.accepted, 0)).toBe(3);
  const listed = await listProviders(operator);
  expect(listed.find(({ id }) => id === "bandwidth")?.last_hour.accepted).toBe(7);
});

test("a provider has a receipt URL if it reports over HTTP, and none otherwise", async () => {
  expect((await getProvider(operator, { id: "telnyx" })).receipt_url).toMatch(/\/api\/receipts\/telnyx\/[\w-]{20,}$/);
  expect((await getProvider(operator, { id: "smpp" })).receipt_url).toBeNull();
  expect(await getProvider(operator, { id: "sandbox" })).toMatchObject({ receipt_url: null, settings: [] });
});

test("a test goes directly to the provider, one at a time per operator, and is not stored", async () => {
  const upstream = await startUpstream();
  const test = { to: "+14155550123", from: "+14155550100", body: "Hello" };
  await saveSettings(operator, {
    id: "twilio",
    settings: { accountSid: ACCOUNT_SID, authToken: SECRET, baseUrl: upstream.url },
  });
  await drainProvider(operator, { id: "twilio", is_drained: true });
  const first = testProvider(operator, { id: "twilio", ...test });
  await expect.poll(() => upstream.answers.length).toBe(1);
  await expect(testProvider(operator, { id: "sandbox", ...test })).rejects.toMatchObject({
    status: 429,
    wire: { details: { reason: "test_under_way" } },
  });
  const elsewhere = testProvider(newOperator(), { id: "twilio", ...test });
  await expect.poll(() => upstream.answers.length).toBe(2);
  for (const answer of upstream.answers) answer();
  expect(await first).toMatchObject({ outcome: "accepted", provider_message_ids: ["SM1"], code: null });
  expect((await first).reference).toMatch(/^msg_[0-9a-z]{26}-1$/);
  expect((await elsewhere).outcome).toBe("accepted");
  expect(await prisma().message.count()).toBe(0);

  expect(await testProvider(operator, { id: "sandbox", ...test, to: "+15550100003" })).toMatchObject({
    outcome: "refused",
    code: "invalid_recipient",
    provider_message_ids: [],
  });
  await expect(testProvider(operator, { id: "sinch", ...test })).rejects.toMatchObject({
    status: 400,
    wire: { details: { reason: "provider_not_configured" } },
  });
});

test("a test shows a code and a sentence of the response, however long it is", async () => {
  const page = `Index of / ${"internal ".repeat(2_000)}`;
  const server = createServer((_request, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ code: "7".repeat(5_000), message: page }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await saveSettings(operator, { id: "twilio", settings: { accountSid: ACCOUNT_SID, authToken: SECRET, baseUrl } });
  const to = { to: "+14155550123", from: "+14155550100", body: "Hello" };
  const shown = await testProvider(operator, { id: "twilio", ...to });
  expect(shown.code).toBe("7".repeat(64));
  expect(shown.detail?.length).toBeLessThanOrEqual(200);
});

test("a test over SMPP has its own bind, and leaves no connection behind", async () => {
  const centre = await startSmsc();
  const { SMPP_URL: url = "", SMPP_SYSTEM_ID: systemId = "", SMPP_PASSWORD: password = "" } = centre.environment;
  await saveSettings(operator, { id: "smpp", settings: { url, systemId, password } });
  const sent = await testProvider(operator, { id: "smpp", to: "+15551230001", from: "+15550001111", body: "Hello" });
  expect(sent).toMatchObject({ outcome: "accepted", code: null });
  await expect.poll(() => centre.sessions()).toBe(0);
  await centre.close();
});

test("a rotated receipt URL and the previous one are valid until that one's days are over, and no others are", async () => {
  const tokenOf = (url: string | null) => new URL(url ?? "").pathname.split("/").at(-1) ?? "";
  const first = tokenOf((await getProvider(operator, { id: "clickatell" })).receipt_url);
  const rotated = await rotateReceiptUrl(operator, { id: "clickatell" });
  const second = tokenOf(rotated.receipt_url);
  expect(second).not.toBe(first);
  expect(Date.parse(rotated.former_receipt_url_until ?? "")).toBeGreaterThan(Date.now());
  const accepted = async (...tokens: string[]) => {
    invalidateProviders();
    const state = (await providerTable()).stateOf("clickatell");
    if (!state) throw new Error("There is no such provider.");
    return Promise.all(tokens.map((token) => isReceiptToken("clickatell", token, async () => state)));
  };
  expect(await accepted(first, second)).toEqual([true, true]);
  await pool().query("UPDATE providers SET receipt_rotated_at = now() - interval '8 days' WHERE id = 'clickatell'");
  expect(await accepted(first, second)).toEqual([false, true]);
  expect((await getProvider(operator, { id: "clickatell" })).former_receipt_url_until).toBeNull();
  const third = tokenOf((await rotateReceiptUrl(operator, { id: "clickatell" })).receipt_url);
  expect(await accepted(first, second, third)).toEqual([false, true, true]);
});

test("the receipt URL of a provider that signs its callbacks is not rotated", async () => {
  await expect(rotateReceiptUrl(operator, { id: "twilio" })).rejects.toMatchObject({
    status: 400,
    wire: { param: "id", details: { reason: "receipt_url_not_rotatable" } },
  });
  expect((await getProvider(operator, { id: "twilio" })).is_receipt_url_rotatable).toBe(false);
});
