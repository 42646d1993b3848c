import smpp from "smpp";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  accept,
  deliver,
  type OnSubmit,
  receiptOf,
  refuse,
  openCentre as startCentre,
} from "@/test/carriers/smsc-scripted";
import { stubProviderEnv } from "@/test/providers/plain-provider";
import type { CallbackContent, SendOutcome } from "../port";
import { createSmppAdapter, type SmppAdapter, type SmppOptions } from "./adapter";
import { smppSettings } from "./settings";

const FAST: SmppOptions = {
  responseTimeoutMs: 2_000,
  bindWaitMs: 1_000,
  unbindTimeoutMs: 500,
  backOff: { minMs: 5, maxMs: 40 },
};

// A machine under load may stall this process too, which would then be blamed instead of the centre.
vi.mock(import("../../core/deadline"), async (load) => ({ ...(await load()), hasStalledSince: () => false }));

beforeAll(stubProviderEnv);

async function openCentre(...options: Parameters<typeof startCentre>) {
  const centre = await startCentre(...options);
  onTestFinished(centre.close);
  return centre;
}

function open(url: string, settings: Record<string, string> = {}, options: SmppOptions = {}) {
  const taken: CallbackContent[] = [];
  const sink = { take: async (content: CallbackContent) => void taken.push(content) };
  const parsed = smppSettings.parse({ url, systemId: "we", password: "secret", ...settings });
  const adapter = createSmppAdapter(parsed, sink, { ...FAST, ...options });
  onTestFinished(adapter.close);
  return { adapter, taken, sink };
}

const send = (adapter: SmppAdapter, body = "hi"): Promise<SendOutcome> => {
  const message = { id: "msg_1", to: "+491511234567", from: "Shop", body, encoding: "GSM-7" as const, segments: 1 };
  return adapter.send({ message, reference: "msg_1-1", receiptUrl: "http://127.0.0.1/receipts" });
};
const bound = (adapter: SmppAdapter) => expect.poll(adapter.isBound).toBe(true);
const accepted = (...providerMessageIds: string[]) => ({ kind: "accepted", providerMessageIds });

/** Responds late. */
const late =
  (ms: number, respond = accept): OnSubmit =>
  (...submit) =>
    void setTimeout(respond, ms, ...submit);

describe("sending", () => {
  it("binds at once, as configured", async () => {
    const centre = await openCentre();
    const { adapter } = open(centre.url, { systemType: "VMA", window: "4", sessions: "2" });
    await expect.poll(() => centre.binds.length).toBe(2);
    const expected = { system_id: "we", password: "secret", system_type: "VMA", interface_version: 0x34 };
    expect(centre.binds[0]).toMatchObject(expected);
    expect(adapter.maxInFlight).toBe(8);
  });

  it("with separate binds, submits over a transmitter and takes deliveries over a receiver", async () => {
    const centre = await openCentre();
    const { adapter, taken } = open(centre.url, { bind: "separate", sessions: "2", serviceType: "CMT" });
    await expect.poll(() => centre.binds.length).toBe(4);
    const commands = ["bind_receiver", "bind_receiver", "bind_transmitter", "bind_transmitter"];
    expect(centre.binds.map((pdu) => pdu.command).sort()).toEqual(commands);
    expect(await send(adapter)).toEqual(accepted("a1"));
    expect(centre.submits).toMatchObject([{ service_type: "CMT" }]);
    const receiver = centre.sessions[centre.binds.findIndex((pdu) => pdu.command === "bind_receiver")];
    expect((await deliver(receiver, receiptOf("a1"))).command_status).toBe(0);
    expect(taken).toMatchObject([{ reports: [{ providerMessageId: "a1" }] }]);
    await adapter.close();
    expect(centre.times("unbind")).toBe(4);
  });

  it("is not bound by a receiver alone", async () => {
    const centre = await openCentre();
    centre.bindStatusOf = (pdu) => (pdu.command === "bind_transmitter" ? 0x0d : 0);
    const { adapter } = open(centre.url, { bind: "separate" });
    await expect.poll(() => centre.times("bind_receiver")).toBe(1);
    expect(await send(adapter)).toMatchObject({ kind: "retryable", code: "0x0d", fault: "account" });
    expect(adapter.isBound()).toBe(false);
  });

  it("writes texts in the centre's default alphabet", async () => {
    const centre = await openCentre();
    const { adapter, taken } = open(centre.url, { alphabet: "latin1" });
    expect(await send(adapter, "@_$")).toEqual(accepted("a1"));
    // The octets as the package reads them, which knows only GSM 03.38.
    expect(centre.submits).toMatchObject([{ data_coding: 0, short_message: { message: "¡§¤" } }]);
    const reply = { source_addr: "49151", destination_addr: "10777", data_coding: 0 };
    await deliver(centre.sessions[0], { ...reply, short_message: Buffer.from("ÉTÉ @", "latin1") });
    expect(taken).toMatchObject([{ inbound: [{ text: "ÉTÉ @" }] }]);
  });

  it("keeps the ids of the parts that were taken before one without a response", async () => {
    const centre = await openCentre((...submit) => (submit[2] < 3 ? accept(...submit) : undefined));
    const { adapter } = open(centre.url, {}, { responseTimeoutMs: 100 });
    expect(await send(adapter, "a".repeat(307))).toMatchObject({ kind: "unknown", taken: ["a1", "a2"] });
  });

  it("sends one part, and three parts under one reference, and returns every id", async () => {
    const centre = await openCentre();
    const { adapter } = open(centre.url);
    expect(await send(adapter, "h€")).toEqual(accepted("a1"));
    expect(await send(adapter, "a".repeat(307))).toEqual(accepted("a2", "a3", "a4"));
    const [one, ...parts] = centre.submits;
    expect(one).toMatchObject({
      source_addr_ton: 5,
      source_addr: "Shop",
      dest_addr_ton: 1,
      destination_addr: "491511234567",
      registered_delivery: 1,
      data_coding: 0,
      short_message: { message: "h€" },
    });
    const headers = parts.map((pdu) => (pdu.short_message as { udh: Buffer[] }).udh[0]);
    expect(headers.map((header) => header?.subarray(3))).toEqual([Buffer.of(3, 1), Buffer.of(3, 2), Buffer.of(3, 3)]);
    expect(new Set(headers.map((header) => header?.[2])).size).toBe(1);
  });

  it("uses up no references for short texts, so that those of long ones recur late", async () => {
    const centre = await openCentre();
    const { adapter } = open(centre.url);
    for (const body of ["a".repeat(200), "hi", "hi", "b".repeat(200)]) await send(adapter, body);
    const [first, , , , next] = centre.submits.map(({ short_message }) => short_message as { udh?: Buffer[] });
    const referenceOf = (message: typeof first) => message?.udh?.[0]?.[2] ?? Number.NaN;
    expect(referenceOf(next)).toBe((referenceOf(first) + 1) & 0xff);
  });

  it("gives a part without an id one of ours, so that receipts of the others do not count for the whole text", async () => {
    const withoutId: OnSubmit = (pdu, session) => void session.send(pdu.response({ message_id: "" }));
    const centre = await openCentre((...submit) => (submit[2] === 1 ? withoutId : accept)(...submit));
    const { adapter, taken } = open(centre.url, {}, { responseTimeoutMs: 100 });
    expect(await send(adapter, "a".repeat(200))).toEqual(accepted("a2", "msg_1-1-1"));
    centre.onSubmit = (...submit) => (submit[2] === 3 ? withoutId : submit[2] === 5 ? refuse(0x0b) : accept)(...submit);
    const partly = { ...accepted("a4", "msg_1-1-1"), lost: { code: "0x0b" } };
    expect(await send(adapter, "a".repeat(307))).toMatchObject(partly);
    // No receipt can be matched to a text without any id.
    centre.onSubmit = withoutId;
    expect(await send(adapter)).toEqual(accepted());
    expect(await send(adapter, "a".repeat(200))).toEqual(accepted());
    // The same for a late response to the last part.
    centre.onSubmit = (...submit) => (submit[2] === 10 ? late(200, withoutId) : accept)(...submit);
    expect(await send(adapter, "a".repeat(200))).toMatchObject({ kind: "unknown", taken: ["a9"] });
    await expect
      .poll(() => taken)
      .toMatchObject([{ reports: [{ providerMessageId: "msg_1-1", reference: "msg_1-1" }] }]);
  });

  it("never has more outstanding submits than the window", async () => {
    const waiting: Array<() => void> = [];
    const centre = await openCentre((pdu, session, place) => waiting.push(() => accept(pdu, session, place)));
    const { adapter } = open(centre.url, { window: "2" });
    const sends = [1, 2, 3, 4, 5].map(() => send(adapter));
    for (const taken of [2, 3, 4, 5]) {
      await expect.poll(() => centre.submits.length).toBe(taken);
      // A response to enquire_link means that everything written before it has been read.
      await new Promise((resolve) => centre.sessions[0]?.enquire_link({}, resolve));
      expect(centre.submits).toHaveLength(taken);
      waiting.shift()?.();
    }
    for (const release of waiting) release();
    expect((await Promise.all(sends)).every((outcome) => outcome.kind === "accepted")).toBe(true);
  });

  it("retries a throttled submit more slowly, and gives up after a few tries", async () => {
    const centre = await openCentre((...submit) => (submit[2] === 1 ? refuse(0x58) : accept)(...submit));
    const { adapter } = open(centre.url);
    expect(await send(adapter)).toEqual(accepted("a2"));
    centre.onSubmit = refuse(smpp.errors.ESME_RTHROTTLED ?? 0);
    expect(await send(adapter)).toMatchObject({ kind: "retryable", code: "0x58", fault: "throttled" });
    expect(centre.submits).toHaveLength(6);
  });

  it("returns the outcome of a text whose first or later part is refused", async () => {
    const centre = await openCentre(refuse(0x0b));
    const { adapter } = open(centre.url);
    expect(await send(adapter, "a".repeat(307))).toMatchObject({ kind: "refused", code: "0x0b" });
    expect(centre.submits).toHaveLength(1);
    centre.onSubmit = (pdu, session, place) => (place === 3 ? refuse(0x0b) : accept)(pdu, session, place);
    const detail = "Part 2 of 3 was not taken. The recipient is not a valid number.";
    const partly = { ...accepted("a2"), lost: { code: "0x0b", detail } };
    expect(await send(adapter, "a".repeat(307))).toEqual(partly);
    expect(centre.submits).toHaveLength(3);
  });

  it("returns an unknown outcome for a submit without a response, or whose connection is lost", async () => {
    const centre = await openCentre(() => undefined);
    const { adapter } = open(centre.url, {}, { responseTimeoutMs: 30 });
    expect(await send(adapter)).toMatchObject({ kind: "unknown", code: "timeout" });
    centre.onSubmit = (_pdu, session) => session.destroy();
    expect(await send(adapter)).toMatchObject({ kind: "unknown", code: "connection_lost" });
    centre.onSubmit = accept;
    expect(await send(adapter)).toEqual(accepted("a3"));
  });
});

describe("a response to another command with a submit's sequence number", () => {
  const toSomethingElse: OnSubmit = (pdu, session) =>
    void session.send(new smpp.PDU("enquire_link_resp", { sequence_number: pdu.sequence_number }));

  it("does not accept the message; the real response does", async () => {
    const centre = await openCentre((...submit) => {
      toSomethingElse(...submit);
      accept(...submit);
    });
    const { adapter } = open(centre.url);
    expect(await send(adapter)).toEqual(accepted("a1"));
  });

  it("leaves the outcome unknown, and does not count as a late response", async () => {
    const centre = await openCentre();
    centre.onSubmit = (...submit) => setTimeout(toSomethingElse, 200, ...submit);
    const { adapter, taken } = open(centre.url, {}, { responseTimeoutMs: 50 });
    expect(await send(adapter)).toMatchObject({ kind: "unknown", code: "timeout" });
    centre.onSubmit = accept;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await send(adapter)).toEqual(accepted("a2"));
    expect(taken).toEqual([]);
  });
});

describe("a response after the timeout", () => {
  /** Later than a timeout prolonged by a stall of this process. */
  const LATE_MS = 500;

  it("is reported with our reference, because the centre's receipts carry none", async () => {
    const centre = await openCentre(late(LATE_MS));
    const { adapter, taken } = open(centre.url, {}, { responseTimeoutMs: 50 });
    expect(await send(adapter)).toMatchObject({ kind: "unknown", code: "timeout" });
    const report = { providerMessageId: "a1", reference: "msg_1-1", status: "sent", isOfWhole: true };
    await expect.poll(() => taken).toMatchObject([{ reports: [report], inbound: [] }]);
  });

  it("is stored as soon as possible, because the centre does not repeat it", async () => {
    const centre = await openCentre(late(LATE_MS));
    const { adapter, taken, sink } = open(centre.url, {}, { responseTimeoutMs: 50 });
    vi.spyOn(sink, "take").mockRejectedValueOnce(new Error("no database"));
    await send(adapter);
    await expect.poll(() => taken).toHaveLength(1);
  });

  it("to the last part of a long text is reported as a part's; to another part it is not reported", async () => {
    const centre = await openCentre((...submit) => (submit[2] === 2 ? late(LATE_MS) : accept)(...submit));
    const { adapter, taken } = open(centre.url, {}, { responseTimeoutMs: 50 });
    expect(await send(adapter, "a".repeat(200))).toMatchObject({ kind: "unknown", taken: ["a1"] });
    await expect.poll(() => taken).toHaveLength(1);
    expect(taken[0]?.reports).toEqual([expect.objectContaining({ providerMessageId: "a2", reference: "msg_1-1" })]);
    expect(taken[0]?.reports[0]).not.toHaveProperty("isOfWhole");

    centre.onSubmit = late(LATE_MS);
    expect(await send(adapter, "a".repeat(200))).toMatchObject({ kind: "unknown", code: "timeout" });
    await send(adapter);
    await expect.poll(() => taken).toHaveLength(2);
    expect(taken[1]?.reports).toMatchObject([{ providerMessageId: "a4" }]);
  });

  it("proves nothing when it is a refusal", async () => {
    const centre = await openCentre(late(LATE_MS, refuse(0x0b)));
    const { adapter, taken } = open(centre.url, {}, { responseTimeoutMs: 20 });
    await send(adapter);
    centre.onSubmit = late(LATE_MS);
    await send(adapter);
    await expect.poll(() => taken).toMatchObject([{ reports: [{ providerMessageId: "a2" }] }]);
  });
});

describe("receiving", () => {
  it("matches a receipt that arrives before the response, across radixes", async () => {
    const centre = await openCentre(async (pdu, session) => {
      await deliver(session, receiptOf("0255"));
      session.send(pdu.response({ message_id: "00FF" }));
    });
    const { adapter, taken } = open(centre.url, { idRadix: "hex-to-decimal" });
    expect(await send(adapter)).toEqual(accepted("255"));
    expect(taken).toMatchObject([{ reports: [{ providerMessageId: "255", status: "delivered" }], inbound: [] }]);
  });

  it("acknowledges deliveries that were taken, and makes the centre repeat the others", async () => {
    const centre = await openCentre();
    const { adapter, taken, sink } = open(centre.url);
    await bound(adapter);
    const inbound = { source_addr: "49151", destination_addr: "10777", data_coding: 8, short_message: "Привет" };
    expect((await deliver(centre.sessions[0], inbound)).command_status).toBe(0);
    expect(taken).toMatchObject([{ reports: [], inbound: [{ from: "49151", to: "10777", text: "Привет" }] }]);
    const broken = vi.spyOn(sink, "take").mockRejectedValueOnce(new Error("no database"));
    expect((await deliver(centre.sessions[0], receiptOf("1"))).command_status).toBe(smpp.errors.ESME_RX_T_APPN);
    expect((await deliver(centre.sessions[0], receiptOf("1"))).command_status).toBe(0);
    expect(broken).toHaveBeenCalledTimes(2);
  });
});

describe("keeping the bind up", () => {
  it("waits for a centre that comes back, and fails when it does not in time", async () => {
    const before = await openCentre();
    const { adapter } = open(before.url, {}, { bindWaitMs: 50 });
    await bound(adapter);
    await before.close();
    await expect.poll(adapter.isBound).toBe(false);
    const unbound = { kind: "retryable", code: "not_bound", fault: "provider" };
    expect(await send(adapter)).toMatchObject(unbound);
    const after = await openCentre(accept, before.port);
    await bound(adapter);
    expect(await send(adapter)).toEqual(accepted("a1"));
    expect(after.binds).toHaveLength(1);
  });

  it("distinguishes a wrong password from an unreachable centre, and binds once it is right", async () => {
    const centre = await openCentre();
    centre.bindStatus = smpp.errors.ESME_RINVPASWD ?? 0;
    const { adapter } = open(centre.url);
    expect(await send(adapter)).toMatchObject({ kind: "retryable", code: "0x0e", fault: "account" });
    centre.bindStatus = 0;
    await bound(adapter);
    expect(await send(adapter)).toEqual(accepted("a1"));
  });

  it("binds again when the centre reports that we are not bound", async () => {
    const centre = await openCentre(refuse(smpp.errors.ESME_RINVBNDSTS ?? 0));
    const { adapter } = open(centre.url);
    expect(await send(adapter)).toMatchObject({ kind: "retryable", code: "0x04", fault: "provider" });
    centre.onSubmit = accept;
    expect(await send(adapter)).toEqual(accepted("a2"));
    expect(centre.binds).toHaveLength(2);
  });

  it("unbinds when it is closed, after outstanding submits, and takes nothing more", async () => {
    let release: () => void = () => undefined;
    const centre = await openCentre((pdu, session, place) => {
      release = () => accept(pdu, session, place);
    });
    const { adapter } = open(centre.url);
    const sent = send(adapter);
    await expect.poll(() => centre.submits.length).toBe(1);
    const closed = adapter.close();
    expect(await send(adapter)).toMatchObject({ kind: "retryable", code: "bind_closing", fault: "throttled" });
    release();
    expect(await sent).toEqual(accepted("a1"));
    await closed;
    expect(centre.commands).toEqual(["bind_transceiver", "submit_sm", "unbind"]);
    expect(adapter.isBound()).toBe(false);
  });
});
