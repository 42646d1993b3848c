import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDeliver, submittedId } from "./receipt";
import { decodePdu, encodePdu, frameReader } from "./wire";

const deliver = (fields: Record<string, unknown>) =>
  readDeliver(
    decodePdu(
      encodePdu("deliver_sm", {
        source_addr: "491511234567",
        destination_addr: "10777",
        data_coding: 0,
        short_message: Buffer.alloc(0),
        ...fields,
      }),
    ),
    "in-1",
  );
const receipt = (text: string, fields: Record<string, unknown> = {}) =>
  deliver({ esm_class: 4, short_message: Buffer.from(text), ...fields });
const report = (fields: Record<string, unknown>) => ({
  kind: "receipt",
  report: { reference: null, code: null, detail: null, occurredAt: null, source: "491511234567", ...fields },
});

describe("delivery receipts", () => {
  it("are read from their text, in any order and case", () => {
    const usual =
      "id:00AB_1@x sub:001 dlvrd:001 submit date:2401021530 done date:2401021531 stat:DELIVRD err:000 text:hi";
    expect(receipt(usual)).toEqual(report({ providerMessageId: "ab_1@x", status: "delivered" }));
    expect(receipt("STAT: undeliv ERR:0C1 ID: 9")).toEqual(
      report({
        providerMessageId: "9",
        status: "undelivered",
        code: "0C1",
        detail: "The message could not be delivered.",
      }),
    );
    expect(receipt("id:9 stat:REJECTED")).toEqual(
      report({ providerMessageId: "9", status: "failed", code: "rejected", detail: "The message was rejected." }),
    );
  });

  it("ignore the quoted text of the message", () => {
    const outcome = receipt("id:7 stat:UNDELIV text:err:055 stat:DELIVRD id:8");
    expect(outcome).toMatchObject({ report: { providerMessageId: "7", status: "undelivered", code: "undeliv" } });
  });

  it.each([
    ["ENROUTE", "sent"],
    ["DELIVRD", "delivered"],
    ["EXPIRED", "undelivered"],
    ["DELETED", "failed"],
    ["UNDELIV", "undelivered"],
    ["ACCEPTD", "sent"],
    ["UNKNOWN", "sent"],
    ["REJECTD", "failed"],
  ])("map %s to %s, as text and as a number", (stat, status) => {
    const states = ["", "ENROUTE", "DELIVRD", "EXPIRED", "DELETED", "UNDELIV", "ACCEPTD", "UNKNOWN", "REJECTD"];
    expect(receipt(`id:1 stat:${stat}`)).toMatchObject({ report: { status } });
    const parameters = { receipted_message_id: "1", message_state: states.indexOf(stat) };
    expect(deliver({ esm_class: 4, ...parameters })).toMatchObject({ report: { status } });
  });

  it("prefer parameters to the text", () => {
    const parameters = {
      receipted_message_id: "0F",
      message_state: 5,
      network_error_code: Buffer.of(3, 0x01, 0x02),
    };
    expect(receipt("id:15 stat:DELIVRD err:001", parameters)).toEqual(
      report({
        providerMessageId: "f",
        status: "undelivered",
        code: "258",
        detail: "The message could not be delivered.",
      }),
    );
  });

  it("are recognized by their parameters if the centre does not mark them", () => {
    expect(deliver({ esm_class: 0, receipted_message_id: "5", message_state: 2 })).toMatchObject({ kind: "receipt" });
  });

  it("survive an id without its NUL", () => {
    const whole = encodePdu("deliver_sm", { esm_class: 4, data_coding: 0, short_message: Buffer.alloc(0) });
    const parameters = Buffer.from([0, 0x1e, 0, 3, 0x61, 0x62, 0x63, 4, 0x27, 0, 1, 2]);
    const frame = Buffer.concat([whole, parameters]);
    frame.writeUInt32BE(frame.length, 0);
    const outcome = readDeliver(decodePdu(frame), "in-1");
    expect(outcome).toEqual(report({ source: undefined, providerMessageId: "abc", status: "delivered" }));
  });

  it("are never final when they are intermediate notifications", () => {
    expect(receipt("id:1 stat:UNDELIV err:011", { esm_class: 0x20 })).toEqual(
      report({ providerMessageId: "1", status: "sent" }),
    );
  });

  it("are read after a header, and even if an announced header is missing", () => {
    const text = Buffer.from("id:9 sub:001 dlvrd:001 stat:DELIVRD err:000 text:x");
    const header = Buffer.of(5, 0, 3, 9, 1, 1);
    const expected = report({ providerMessageId: "9", status: "delivered" });
    expect(deliver({ esm_class: 0x44, short_message: Buffer.concat([header, text]) })).toEqual(expected);
    expect(deliver({ esm_class: 0x44, short_message: text })).toEqual(expected);
  });

  it("are read with commas between their fields", () => {
    const commas =
      "id:0AB,sub:001,dlvrd:000,submit date:2401021530,done date:2401021531,stat:UNDELIV,err:012,text:id:8,stat:DELIVRD";
    expect(receipt(commas)).toMatchObject({
      report: { providerMessageId: "ab", status: "undelivered", code: "012" },
    });
  });

  it("in the complete usual form are receipts even if unmarked, when they come from the recipient", () => {
    const form = "id:7F sub:001 dlvrd:001 submit date:2401021530 done date:240102153100 stat:DELIVRD err:000 text:hi";
    const header = Buffer.concat([Buffer.of(5, 0, 3, 9, 1, 1), Buffer.from(form)]);
    const expected = report({
      providerMessageId: "7f",
      status: "delivered",
      recipient: "491511234567",
      source: undefined,
    });
    expect(deliver({ esm_class: 0, short_message: Buffer.from(form) })).toEqual(expected);
    const commas = form.replace(/ (sub|dlvrd|submit date|done date|stat|err|text):/g, ",$1:");
    expect(deliver({ esm_class: 0, short_message: Buffer.from(commas) })).toEqual(expected);
    expect(deliver({ esm_class: 0x40, short_message: header })).toEqual(expected);
  });

  it("are ignored without an id or a state", () => {
    expect(receipt("stat:DELIVRD")).toMatchObject({ kind: "ignored" });
    expect(receipt("id:1 stat:ELSEWHERE")).toMatchObject({ kind: "ignored" });
  });
});

describe("messages from handsets", () => {
  const inbound = (text: string) => ({
    kind: "inbound",
    inbound: { providerMessageId: "in-1", from: "491511234567", to: "10777", text },
    unreadable: null,
  });

  it("are decoded, without the header of a part", () => {
    const part = Buffer.concat([Buffer.of(5, 0, 3, 9, 2, 1), Buffer.of(0x1b, 0x65, 0x00)]);
    expect(deliver({ esm_class: 0x40, short_message: part })).toEqual(inbound("€@"));
    expect(deliver({ data_coding: 8, short_message: Buffer.from([4, 0x1f]) })).toEqual(inbound("П"));
    expect(deliver({ message_payload: Buffer.from("long"), sar_total_segments: 2 })).toEqual(inbound("long"));
  });

  it("are read up to a truncated parameter", () => {
    const whole = encodePdu("deliver_sm", { data_coding: 0, short_message: Buffer.from("hi") });
    const frame = Buffer.concat([whole, Buffer.from([0x02, 0x0c, 0, 2])]);
    frame.writeUInt32BE(frame.length, 0);
    expect(readDeliver(decodePdu(frame), "in-1")).toMatchObject({ kind: "inbound", inbound: { text: "hi" } });
  });

  it("are not receipts, even if their text looks like one", () => {
    const whole =
      "id:1 sub:001 dlvrd:001 submit date:2401021530 done date:2401021531 stat:DELIVRD err:000 text:was this you?";
    for (const text of [
      "id:1 stat:DELIVRD",
      `I got ${whole}`,
      whole.replace("sub:001 ", ""),
      `${whole.slice(0, 80)}!`,
    ]) {
      expect(deliver({ short_message: Buffer.from(text) })).toEqual(inbound(text));
    }
  });

  it.each([2, 4])("are read from 8-bit data (data_coding %d), which some centres put on texts", (data_coding) => {
    expect(deliver({ data_coding, short_message: Buffer.from("STOP\r\n") })).toEqual(inbound("STOP\r\n"));
    expect(deliver({ data_coding, short_message: Buffer.from("arrêt", "latin1") })).toEqual(inbound("arrêt"));
    expect(deliver({ data_coding, short_message: Buffer.from("arrêt", "utf8") })).toEqual(inbound("arrêt"));
    const part = Buffer.concat([Buffer.of(5, 0, 3, 9, 2, 1), Buffer.from("STOP")]);
    expect(deliver({ data_coding, esm_class: 0x40, short_message: part })).toEqual(inbound("STOP"));
  });

  it("are read in the default alphabet of the centre", () => {
    const pdu = decodePdu(encodePdu("deliver_sm", { data_coding: 0, short_message: Buffer.from("a@_$ü", "latin1") }));
    for (const alphabet of ["latin1", "ascii"] as const) {
      expect(readDeliver(pdu, "in-1", alphabet)).toMatchObject({ inbound: { text: "a@_$ü" } });
    }
    const gsm = decodePdu(
      encodePdu("deliver_sm", { data_coding: 0, short_message: Buffer.of(0x61, 0x00, 0x11, 0x02) }),
    );
    expect(readDeliver(gsm, "in-1")).toMatchObject({ inbound: { text: "a@_$" } });
  });

  it.each([
    [4, Buffer.of(1, 2)],
    [5, Buffer.from("hi")],
    [13, Buffer.from("hi")],
    [14, Buffer.from("hi")],
    [0xf5, Buffer.from("STOP")],
  ])("are empty when they are not a text, or in an unknown alphabet (data_coding %d)", (data_coding, short_message) => {
    const unreadable = `no text: data_coding ${data_coding}`;
    expect(deliver({ data_coding, short_message })).toEqual({ ...inbound(""), unreadable });
  });
});

it("reads any deliver_sm without an exception", () => {
  const header = encodePdu("deliver_sm", {}).subarray(0, 16);
  const inBytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.concat([header, array]));
  fc.assert(
    fc.property(inBytes, (frame) => {
      frame.writeUInt32BE(frame.length, 0);
      expect(readDeliver(decodePdu(frame), "in-1").kind).toMatch(/receipt|inbound|ignored/);
    }),
  );
  const octets = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(octet, octet, octets, octets, (esm_class, data_coding, short_message, message_payload) => {
      expect(deliver({ esm_class, data_coding, short_message, message_payload }).kind).toMatch(
        /receipt|inbound|ignored/,
      );
    }),
  );
});

describe("submittedId", () => {
  it.each([
    ["00aBc", "as-is", "abc"],
    ["0", "as-is", "0"],
    ["", "as-is", ""],
    ["00FF", "hex-to-decimal", "255"],
    ["FFFFFFFFFFFFFFFFFF", "hex-to-decimal", "4722366482869645213695"],
    ["0255", "decimal-to-hex", "ff"],
    ["0F-1", "hex-to-decimal", "f-1"],
  ] as const)("%s, %s", (id, radix, expected) => {
    expect(submittedId(id, radix)).toBe(expected);
  });
});

describe("frameReader", () => {
  it("finds the PDUs wherever the stream is split", () => {
    const pdu = (sequence_number: number) => encodePdu("enquire_link", { sequence_number });
    const stream = Buffer.concat([
      pdu(1),
      pdu(2),
      encodePdu("submit_sm_resp", { sequence_number: 3, message_id: "x" }),
    ]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 6 }), (cuts) => {
        const seen: number[] = [];
        const read = frameReader((found) => seen.push(found.sequence));
        const bounds = [0, ...cuts.sort((a, b) => a - b), stream.length];
        for (const [i, end] of bounds.slice(1).entries()) read(stream.subarray(bounds[i], end));
        expect(seen).toEqual([1, 2, 3]);
      }),
    );
  });

  it("reads a PDU with the longest message_payload", () => {
    const message_payload = Buffer.alloc(0xffff, "a");
    const seen: (Buffer | null)[] = [];
    frameReader((pdu) => seen.push(pdu.octets("message_payload")))(encodePdu("deliver_sm", { message_payload }));
    expect(seen).toEqual([message_payload]);
  });

  it.each([0, 15, 0xffffffff])("refuses a PDU of %i octets", (length) => {
    const head = Buffer.alloc(16);
    head.writeUInt32BE(length, 0);
    expect(() => frameReader(() => undefined)(head)).toThrow(RangeError);
  });
});
