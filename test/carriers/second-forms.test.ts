/** Tests of the newer APIs of carriers that have two: the product's adapter against the emulated carrier, in both directions. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { httpProvider } from "@/server/providers/catalogue";
import { httpAdapter } from "@/server/providers/http/client";
import type { HttpProvider, OutboundMessage, Settings } from "@/server/providers/port";
import { type Receiver, startReceiver } from "../network/receiver";
import { startBirdChannels } from "./bird-channels";
import type { HttpCarrier } from "./http-carrier";
import { startVonageMessages } from "./vonage-messages";

const FORMS = [
  {
    name: "vonage",
    start: startVonageMessages,
    settingsOf: (own: Record<string, string>): Record<string, string | undefined> => ({
      applicationId: own.VONAGE_APPLICATION_ID,
      privateKey: own.VONAGE_PRIVATE_KEY,
      signatureSecret: own.VONAGE_SIGNATURE_SECRET,
      messagesBaseUrl: own.VONAGE_MESSAGES_BASE_URL,
    }),
    failed: ["failed", "1120"],
    undelivered: ["undelivered", "1180"],
    reference: "msg_1-1",
    refusal: { kind: "refused" },
    names: true,
  },
  {
    name: "messagebird",
    start: startBirdChannels,
    settingsOf: (own: Record<string, string>): Record<string, string | undefined> => ({
      accessKey: own.MESSAGEBIRD_ACCESS_KEY,
      signingKey: own.MESSAGEBIRD_SIGNING_KEY,
      workspaceId: own.MESSAGEBIRD_WORKSPACE_ID,
      channels: own.MESSAGEBIRD_CHANNELS,
      birdBaseUrl: own.MESSAGEBIRD_BIRD_BASE_URL,
    }),
    failed: ["failed", "103"],
    undelivered: ["undelivered", "1"],
    reference: null,
    refusal: { kind: "retryable", fault: "message" },
    names: false,
  },
] as const;

const TO = "+447700900000";

beforeAll(() => {
  vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
  vi.stubEnv("SECRET_KEY", "0".repeat(32));
  vi.stubEnv("LOG_LEVEL", "silent");
  vi.stubEnv("PROVIDER_TIMEOUT_MS", "5000");
});

describe.each(FORMS)("the second API of $name", ({ name, start, settingsOf, ...facts }) => {
  let carrier: HttpCarrier;
  let receiver: Receiver;
  let provider: HttpProvider;
  let settings: Settings;

  beforeEach(async () => {
    [carrier, receiver] = await Promise.all([start(), startReceiver()]);
    const found = httpProvider(name);
    if (!found) throw new Error("There is no such provider.");
    provider = found;
    settings = found.settings.parse(settingsOf(carrier.environment));
  });
  afterEach(() => Promise.all([carrier.close(), receiver.close()]));

  const send = (body = "a & b", more: Partial<OutboundMessage> = {}) =>
    httpAdapter(provider, settings).send({
      message: { id: "msg_1", to: TO, from: "+447700900001", body, encoding: "GSM-7", segments: 1, ...more },
      reference: "msg_1-1",
      receiptUrl: `${receiver.url}?ref=msg_1-1`,
    });
  /** Reads the last callback as the product does. */
  const received = () => {
    const { path = "", headers = {}, body = Buffer.alloc(0) } = receiver.received.at(-1) ?? {};
    const given = Object.entries(headers).map(([field, value]) => [field, String(value)]);
    const url = new URL(path, receiver.url).href;
    const callback = { method: "POST", url, headers: Object.fromEntries(given), body };
    return {
      proof: provider.authenticate(callback, settings, new Date()),
      content: () => provider.readCallback(callback, settings),
    };
  };

  test("takes our request, and we read its id", async () => {
    const outcome = await send();
    expect(carrier.problems).toEqual([]);
    expect(outcome).toEqual({ kind: "accepted", providerMessageIds: carrier.taken[0]?.ids });
    expect(carrier.taken).toMatchObject([{ to: TO, text: "a & b", parts: 1, reference: facts.reference }]);
    await send("Привет", { encoding: "UCS-2" });
    expect(carrier.taken).toMatchObject([{}, { text: "Привет" }]);
    const named = { kind: facts.names ? "accepted" : "retryable" };
    expect(await send("Hi", { from: "Shop" })).toMatchObject(named);
    expect(carrier.taken).toHaveLength(facts.names ? 3 : 2);
    expect(carrier.problems).toEqual([]);
  });

  test("fails in ways that we understand", async () => {
    carrier.plan(TO, { kind: "refuse" }, { kind: "throttle" }, { kind: "unavailable" }, { kind: "account" });
    expect(await send()).toMatchObject(facts.refusal);
    for (const fault of ["throttled", "provider", "account"]) {
      expect(await send()).toMatchObject({ kind: "retryable", fault });
    }
    carrier.plan(TO, { kind: "malformed" });
    expect(await send()).toMatchObject({ kind: "unknown" });
  });

  test("sends signed receipts for a message", async () => {
    await send();
    const [message] = carrier.taken;
    if (!message) throw new Error("Nothing was taken.");
    const [providerMessageId] = message.ids;
    for (const [status, ours, code] of [
      ["sent", "sent", null],
      ["delivered", "delivered", null],
      ["failed", ...facts.failed],
      ["undelivered", ...facts.undelivered],
    ] as const) {
      await carrier.report(message, status, receiver.url);
      const { proof, content } = received();
      expect(proof).toMatchObject({ kind: "genuine", nonces: [expect.stringMatching(/./)] });
      const { reports } = content();
      expect(reports).toMatchObject([{ providerMessageId, reference: facts.reference, status: ours, code }]);
    }
  });

  test("is not believed when its callback is forged or stale", async () => {
    await send();
    const [message] = carrier.taken;
    if (!message) throw new Error("Nothing was taken.");
    for (const [fault, kind] of [
      ["forged", "forged"],
      ["stale", "stale"],
    ] as const) {
      await carrier.report(message, "delivered", receiver.url, { fault });
      expect(received().proof).toMatchObject({ kind });
    }
  });

  test("passes on replies", async () => {
    await carrier.inbound({ from: TO, to: "+447700900001", text: "STOP" }, receiver.url);
    const { proof, content } = received();
    expect(proof).toMatchObject({ kind: "genuine" });
    expect(content()).toMatchObject({ reports: [], inbound: [{ text: "STOP" }] });
    const [reply] = content().inbound;
    expect([reply?.from, reply?.to].map((number) => number?.replace("+", ""))).toEqual([
      "447700900000",
      "447700900001",
    ]);
  });
});
