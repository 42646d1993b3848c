import { expect, test } from "vitest";
import { newId, timeOfId } from "../core/ids";
import { presentInbound } from "./present";
import type { InboundRow } from "./store";

const row: InboundRow = {
  id: newId("inbound"),
  provider: "twilio",
  providerMessageId: "SM1",
  accountId: "acc_1",
  fromNumber: "+14155550123",
  toNumber: "+14155550199",
  body: "Hello",
  keyword: null,
  occurredAt: null,
  receivedAt: new Date("2026-11-22T08:00:00.000Z"),
};

test("a message shows its fields, and the time that its id holds", () => {
  expect(presentInbound(row)).toEqual({
    id: row.id,
    object: "inbound_message",
    from: "+14155550123",
    to: "+14155550199",
    body: "Hello",
    action: null,
    provider: "twilio",
    provider_message_id: "SM1",
    received_at: "2026-11-22T08:00:00.000Z",
    created_at: timeOfId(row.id).toISOString(),
  });
});

test.each([
  ["stop", "+14155550123", "opt_out"],
  ["start", "+14155550123", "opt_in"],
  // A name cannot be suppressed, so its keyword did nothing.
  ["stop", "ACME", null],
  [null, "+14155550123", null],
] as const)("the keyword %j from %j has the effect %j", (keyword, fromNumber, action) => {
  expect(presentInbound({ ...row, keyword, fromNumber }).action).toBe(action);
});

test.each([
  ["14155550199", "+14155550199"],
  ["tel:+14155550199", "+14155550199"],
  ["12345", "12345"],
  ["SHOP", "SHOP"],
])("the addressed number %j is shown as %j", (toNumber, to) => {
  expect(presentInbound({ ...row, toNumber }).to).toBe(to);
});
