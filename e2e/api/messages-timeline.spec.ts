import type { Message } from "@/server/messages/schema";
import type { Timeline, TimelineEntry } from "@/server/messages/timeline-schema";
import type { CreatedWebhookEndpoint } from "@/server/webhooks/schema";
import { requiresKey, requiresPermission } from "../support/access";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { messageIn } from "../support/follow";

const UNKNOWN = "/messages/msg_01k9x7t4m2e8v5q3r6w1y0z8ab/timeline";
const SILENT = "+15550100008";
const REFUSED = "+15550100003";
const LOST = "+15550100009";

const sendTo = (rest: CheckedApi, from: string, to: string): Promise<Message> =>
  rest.post<Message>("/messages/send", { to, from, body: "Hello" });

const entriesOf = async (rest: CheckedApi, id: string): Promise<TimelineEntry[]> =>
  (await rest.get<Timeline>(`/messages/${id}/timeline`)).entries;

/** Entries of a timeline, each in a word or two. */
const wordsOf = (entries: TimelineEntry[]): string[] =>
  entries.map(({ kind, details }) => {
    if (kind === "money") return `money ${details.kind}`;
    if (kind === "attempt") return `attempt ${details.outcome}`;
    if (kind === "receipt" || kind === "event") return `${kind} ${details.status}`;
    return kind === "webhook_try" ? `webhook_try ${details.status_code}` : kind;
  });

test.describe("GET /messages/{id}/timeline", () => {
  test("lists everything that happened to a message, oldest first, a cause before its effect", async ({
    rest,
    account,
    receiver,
  }) => {
    const events = ["message.failed"];
    const { id: endpointId } = await rest.post<CreatedWebhookEndpoint>("/webhooks/create", {
      url: receiver.url,
      events,
    });
    const { id } = await sendTo(rest, account.sender, LOST);
    await expect.poll(async () => wordsOf(await entriesOf(rest, id)).at(-1)).toBe("webhook_try 200");
    const timeline = await rest.get<Timeline>(`/messages/${id}/timeline`);
    expect(timeline).toMatchObject({ object: "timeline", message_id: id });
    const { entries } = timeline;
    expect(wordsOf(entries)).toEqual([
      "accepted",
      "money reserve",
      "attempt accepted",
      "money settle",
      "event sent",
      "receipt undelivered",
      "event undelivered",
      "webhook_try 200",
    ]);
    const times = entries.map((entry) => Date.parse(entry.at));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(entries.map((entry) => entry.summary)).toEqual(entries.map(() => expect.stringMatching(/\w.*[.!?]$/)));
    expect(entries[0]?.details).toEqual({
      to: LOST,
      from: account.sender,
      encoding: "GSM-7",
      segments: 1,
      scheduled_at: null,
    });
    expect(entries[1]?.details).toEqual({ kind: "reserve", amount: -0.01, currency: "USD" });
    expect(entries[2]?.details).toMatchObject({ seq: 1, provider: "sandbox", outcome: "accepted", code: null });
    expect(entries[5]?.details).toMatchObject({ status: "undelivered", code: "absent_subscriber", applied: true });
    const [event] = (await rest.page<{ id: string }>("/events")).items;
    expect(entries[6]?.details).toEqual({ event_id: event?.id, type: "message.failed", status: "undelivered" });
    const delivery = { event_id: event?.id, endpoint_id: endpointId, url: receiver.url, attempt: 1, error: null };
    expect(entries[7]?.details).toMatchObject(delivery);
  });

  test("the timeline of a refused message shows why, and that its money was refunded", async ({ rest, account }) => {
    const { id } = await sendTo(rest, account.sender, REFUSED);
    await messageIn(rest, id, "failed");
    const entries = await entriesOf(rest, id);
    expect(wordsOf(entries)).toEqual(["accepted", "money reserve", "attempt refused", "money refund", "event failed"]);
    expect(entries[2]?.details).toMatchObject({ code: "invalid_recipient", detail: expect.any(String) });
    expect(entries[3]?.details).toEqual({ kind: "refund", amount: 0.01, currency: "USD" });
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    expect(await rest.refusal(404, { method: "GET", path: UNKNOWN })).toMatchObject({ param: "id" });
    expect(await rest.refusal(400, { method: "GET", path: "/messages/%00/timeline" })).toMatchObject({ param: "id" });
  });

  requiresPermission("sms:read", async (rest, { sender }) => {
    const { id } = await sendTo(rest, sender, SILENT);
    return { method: "GET", path: `/messages/${id}/timeline` };
  });

  requiresKey("GET", UNKNOWN);

  test("cannot see another account", async ({ rest, account, stranger }) => {
    const { id } = await sendTo(rest, account.sender, SILENT);
    const foreign = await stranger.rest.refusal(404, { method: "GET", path: `/messages/${id}/timeline` });
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "GET", path: UNKNOWN }));
  });
});
