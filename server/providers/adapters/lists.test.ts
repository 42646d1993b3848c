/** Lists in callbacks: one bad item loses no others, and no list keeps the process busy. */
import { describe, expect, it } from "vitest";
import { httpProvider } from "../catalogue";
import type { CallbackContent } from "../port";

const good = {
  infobip: { messageId: "m1", status: { groupId: 3, id: 5 } },
  clickatell: { channel: "sms", messageId: "m1", statusCode: 5 },
  bandwidth: { type: "message-delivered", message: { id: "m1" } },
  sinch: { code: 0, status: "Delivered" },
} as const;

/** The body of a callback with these items. */
const bodies: Readonly<Record<keyof typeof good, (items: readonly unknown[]) => unknown>> = {
  infobip: (results) => ({ results }),
  clickatell: (messageStatusUpdate) => ({ event: { messageStatusUpdate } }),
  bandwidth: (events) => events,
  sinch: (statuses) => ({ type: "delivery_report_sms", batch_id: "m1", statuses }),
};

type Provider = keyof typeof good;
const PROVIDERS = Object.keys(good) as Provider[];

function read(provider: Provider, body: unknown): CallbackContent | undefined {
  return httpProvider(provider)?.readCallback({
    method: "POST",
    url: "https://sms.example.test/receipts",
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  });
}

const statusesOf = (content: CallbackContent | undefined) => content?.reports.map(({ status }) => status);

describe.each(PROVIDERS)("a callback of %s", (provider) => {
  const body = bodies[provider];

  it.each([
    ["null", null],
    ["a number", 7],
    ["a list", []],
    ["empty", {}],
    ["of other types", { channel: "sms", type: "message-failed", status: {}, message: 7, messageId: {} }],
  ])("reads every item, even next to one that is %s", (_, bad) => {
    const content = read(provider, body([good[provider], bad, good[provider]]));
    expect(statusesOf(content)).toEqual(["delivered", "delivered"]);
  });

  it("counts the items that it could not read", () => {
    const bad = { channel: "sms", type: "message-failed", status: {}, message: 7, messageId: {} };
    expect(read(provider, body([bad, good[provider], bad]))?.unreadable).toBe(2);
    expect(read(provider, body([good[provider]]))?.unreadable).toBeUndefined();
  });

  it("has at most 2,000 items, whatever they are", () => {
    const items = (count: number, item: unknown) => body(Array.from({ length: count }, () => item));
    expect(read(provider, items(2_000, good[provider]))?.reports).toHaveLength(2_000);
    for (const item of [good[provider], 0, {}, null]) {
      expect(() => read(provider, items(2_001, item))).toThrow("more than 2000 items");
    }
  });
});

it("replies of Clickatell are read even next to a bad one", () => {
  const moText = [{ channel: "sms", messageId: "m1", from: "1", to: "2", content: "Hi" }, { channel: "sms" }];
  expect(read("clickatell", { event: { moText } })).toMatchObject({
    inbound: [{ providerMessageId: "m1", text: "Hi" }],
    unreadable: 1,
  });
});
