import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startSmsc } from "./smsc";

type Pdu = {
  command: string;
  command_status: number;
  message_id?: string;
  esm_class?: number;
  receipted_message_id?: string;
  message_state?: number;
  short_message?: { message: string };
  response: (fields?: object) => Pdu;
};
type Client = {
  on: (event: string, listener: (pdu: Pdu) => void) => void;
  send: (pdu: Pdu) => boolean;
  bind_transceiver: (fields: object, answered: (pdu: Pdu) => void) => boolean;
  submit_sm: (fields: object, answered: (pdu: Pdu) => void) => boolean;
  enquire_link: (answered: (pdu: Pdu) => void) => boolean;
  unbind: (answered: (pdu: Pdu) => void) => boolean;
  destroy: () => void;
};
const smpp = createRequire(import.meta.url)("smpp") as { connect: (options: object, connected: () => void) => Client };

const TO = "+15551230001";
const FROM = "+15550001111";
const plain = {
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: FROM.slice(1),
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: TO.slice(1),
  registered_delivery: 1,
  data_coding: 0,
};
const udh = (reference: number, total: number, sequence: number) => Buffer.from([5, 0, 3, reference, total, sequence]);

let centre: Awaited<ReturnType<typeof startSmsc>>;
let client: Client;
let delivered: Pdu[];
let ended: Promise<string>;

async function connect(): Promise<void> {
  await new Promise<void>((connected) => {
    client = smpp.connect({ url: centre.environment.SMPP_URL }, connected);
  });
  delivered = [];
  client.on("deliver_sm", (pdu) => {
    delivered.push(pdu);
    client.send(pdu.response());
  });
  const opened = client;
  ended = new Promise((resolve) => {
    opened.on("error", () => resolve("error"));
    opened.on("close", () => resolve("close"));
  });
}
const bind = (password = centre.environment.SMPP_PASSWORD): Promise<Pdu> => {
  const fields = { system_id: centre.environment.SMPP_SYSTEM_ID, password, interface_version: 0x34 };
  return new Promise((resolve) => client.bind_transceiver(fields, resolve));
};
const submit = (fields: object): Promise<Pdu> =>
  new Promise((resolve) => client.submit_sm({ ...plain, ...fields }, resolve));

beforeEach(async () => {
  centre = await startSmsc();
  await connect();
});
afterEach(async () => {
  client.destroy();
  await centre.close();
});

test("binds only with the right password", async () => {
  expect((await submit({ short_message: "Hi" })).command_status).toBe(0x04);
  expect((await bind("wrong")).command_status).toBe(0x0e);
  expect(centre.sessions()).toBe(0);
  expect((await bind()).command_status).toBe(0);
  expect(centre.sessions()).toBe(1);
  expect((await new Promise<Pdu>((resolve) => client.enquire_link(resolve))).command_status).toBe(0);
  expect((await new Promise<Pdu>((resolve) => client.unbind(resolve))).command_status).toBe(0);
  expect(await ended).toBe("close");
  expect(centre.sessions()).toBe(0);
});

describe("bound", () => {
  beforeEach(async () => {
    await bind();
  });

  test("takes GSM and UCS-2, one part and several", async () => {
    const text = "@{€}[~] Δ";
    const { message_id: id } = await submit({ short_message: text });
    await submit({ short_message: Buffer.from("Привет 😀", "utf16le").swap16(), data_coding: 8 });
    const parts = [2, 1].map((sequence) =>
      submit({ short_message: { udh: udh(7, 2, sequence), message: `part ${sequence} ` }, esm_class: 0x40 }),
    );
    const [second, first] = await Promise.all(parts);
    const sar = { sar_msg_ref_num: 9, sar_total_segments: 2 };
    await submit({ short_message: "one ", ...sar, sar_segment_seqnum: 1 });
    await submit({ short_message: "two", ...sar, sar_segment_seqnum: 2 });
    await submit({ message_payload: "long ".repeat(100) });
    expect(centre.taken).toMatchObject([
      { to: TO, from: FROM, text, parts: 1, ids: [id], reference: null, receiptUrl: null },
      { text: "Привет 😀", parts: 1 },
      { text: "part 1 part 2 ", parts: 2, ids: [first?.message_id, second?.message_id] },
      { text: "one two", parts: 2 },
      { text: "long ".repeat(100), parts: 1 },
    ]);
    expect(centre.requestsFor(TO)).toBe(5);
  });

  test("refuses what a real centre would refuse", async () => {
    const statusOf = async (fields: object) => (await submit(fields)).command_status;
    expect(await statusOf({ short_message: "a".repeat(161) })).toBe(0x01);
    expect(await statusOf({ short_message: "a", destination_addr: TO })).toBe(0x0b);
    expect(await statusOf({ short_message: "a", source_addr: "Name" })).toBe(0x0a);
    expect(await statusOf({ short_message: "a", data_coding: 1 })).toBe(0x104);
    expect(centre.taken).toHaveLength(0);
  });

  test("behaves as planned", async () => {
    centre.plan(TO, { kind: "refuse" }, { kind: "unavailable" }, { kind: "throttle" }, { kind: "account" });
    for (const expected of [0x0b, 0x08, 0x58, 0x0a]) {
      expect((await submit({ short_message: "Hi" })).command_status).toBe(expected);
    }
    expect(centre.taken).toHaveLength(0);
    centre.plan(TO, { kind: "slow", ms: 20 }, { kind: "hang-unread" }, { kind: "hang" }, { kind: "malformed" });
    expect((await submit({ short_message: "slow" })).command_status).toBe(0);
    void submit({ short_message: "unread" });
    void submit({ short_message: "hang" });
    void submit({ short_message: "malformed" });
    expect(await ended).toBe("error");
    expect(centre.taken.map((message) => message.text)).toEqual(["slow", "hang", "malformed"]);
    expect(centre.requestsFor(TO)).toBe(8);
  });

  test("cuts connections, before or after taking a message of several parts", async () => {
    centre.plan(TO, { kind: "reset-unread" }, { kind: "reset" });
    for (const taken of [0, 1]) {
      for (const sequence of [1, 2]) {
        void submit({ short_message: { udh: udh(8, 2, sequence), message: "half" }, esm_class: 0x40 });
      }
      await ended;
      expect(centre.taken).toHaveLength(taken);
      expect(centre.sessions()).toBe(0);
      await connect();
      await bind();
    }
    expect(centre.requestsFor(TO)).toBe(2);
    centre.dropConnections();
    await ended;
    expect(centre.sessions()).toBe(0);
  });

  test("reports on every part and brings messages from handsets", async () => {
    for (const sequence of [1, 2]) {
      await submit({ short_message: { udh: udh(3, 2, sequence), message: "half" }, esm_class: 0x40 });
    }
    const [message] = centre.taken;
    if (!message) throw new Error("Nothing was taken.");
    expect(await centre.report(message, "undelivered", "")).toEqual([0, 0]);
    const [first, second] = message.ids;
    expect(delivered).toMatchObject([
      { esm_class: 4, receipted_message_id: first, message_state: 5 },
      { esm_class: 4, short_message: { message: expect.stringMatching(`^id:${second} .* stat:UNDELIV err:027 `) } },
    ]);
    expect(delivered[1]?.receipted_message_id).toBeUndefined();
    await centre.report(message, "delivered", "", { part: 0, fault: "forged" });
    expect(message.ids).not.toContain(delivered.at(-1)?.receipted_message_id);

    expect(await centre.inbound({ from: TO, to: FROM, text: "СТОП" }, "")).toBe(0);
    expect(delivered.at(-1)).toMatchObject({ esm_class: 0, short_message: { message: "СТОП" } });
  });

  test("cannot report when nobody is bound", async () => {
    await submit({ short_message: "Hi" });
    centre.dropConnections();
    const [message] = centre.taken;
    await expect(message && centre.report(message, "sent", "")).rejects.toThrow("No session is bound.");
  });
});
