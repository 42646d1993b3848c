/** Tests of a message centre that delivers with data_sm instead of deliver_sm. */
import smpp from "smpp";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { deliver, openCentre, receiptOf } from "@/test/carriers/smsc-scripted";
import { stubProviderEnv } from "@/test/providers/plain-provider";
import type { CallbackContent } from "../port";
import { createSmppAdapter } from "./adapter";
import { readDeliver } from "./receipt";
import { smppSettings } from "./settings";
import { decodePdu, encodePdu } from "./wire";

beforeAll(stubProviderEnv);

const ADDRESSES = { source_addr: "491511234567", destination_addr: "10777" };
const FORM = "id:00AB sub:001 dlvrd:001 submit date:2401021530 done date:2401021531 stat:UNDELIV err:012 text:hi";

const read = (fields: Record<string, unknown>) =>
  readDeliver(decodePdu(encodePdu("data_sm", { data_coding: 0, ...ADDRESSES, ...fields })), "in-1");

it("a receipt is read from its parameters, or from the text in its payload", () => {
  const failed = { kind: "receipt", report: { providerMessageId: "ab", status: "undelivered", code: "012" } };
  expect(read({ esm_class: 4, message_payload: Buffer.from(FORM) })).toMatchObject(failed);
  expect(read({ esm_class: 0, message_payload: Buffer.from(FORM) })).toMatchObject({
    kind: "receipt",
    report: { recipient: ADDRESSES.source_addr },
  });
  expect(read({ esm_class: 4, receipted_message_id: "00AB", message_state: 2 })).toMatchObject({
    kind: "receipt",
    report: { providerMessageId: "ab", status: "delivered", source: ADDRESSES.source_addr },
  });
});

it("a message from a handset is read from its payload, without the header of a part", () => {
  const inbound = { from: ADDRESSES.source_addr, to: ADDRESSES.destination_addr, text: "hi" };
  const part = Buffer.concat([Buffer.of(5, 0, 3, 9, 2, 1), Buffer.from("hi")]);
  expect(read({ message_payload: Buffer.from("hi") })).toMatchObject({ kind: "inbound", inbound });
  expect(read({ esm_class: 0x40, message_payload: part })).toMatchObject({ kind: "inbound", inbound });
});

it("both are acknowledged once they are stored, and repeated by the centre otherwise", async () => {
  const centre = await openCentre();
  onTestFinished(centre.close);
  const taken: CallbackContent[] = [];
  let isBroken = true;
  const sink = {
    take: async (content: CallbackContent) => {
      if (isBroken) throw new Error("no database");
      taken.push(content);
    },
  };
  const settings = smppSettings.parse({ url: centre.url, systemId: "we", password: "secret" });
  const adapter = createSmppAdapter(settings, sink);
  onTestFinished(adapter.close);
  await expect.poll(adapter.isBound).toBe(true);
  const [session] = centre.sessions;

  const refused = await deliver(session, receiptOf("1"), "data_sm");
  expect(refused).toMatchObject({ command: "data_sm_resp", command_status: smpp.errors.ESME_RX_T_APPN });
  isBroken = false;
  const stored = await deliver(session, receiptOf("1"), "data_sm");
  expect(stored).toMatchObject({ command: "data_sm_resp", command_status: 0 });
  expect((await deliver(session, { ...ADDRESSES, message_payload: "STOP" }, "data_sm")).command_status).toBe(0);
  expect(taken).toMatchObject([
    { reports: [{ providerMessageId: "1", status: "delivered" }], inbound: [] },
    { reports: [], inbound: [{ from: ADDRESSES.source_addr, to: ADDRESSES.destination_addr, text: "STOP" }] },
  ]);
});
