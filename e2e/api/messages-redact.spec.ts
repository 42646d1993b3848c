import type { Message } from "@/server/messages/schema";
import { PERMISSIONS, requiresKey } from "../support/access";
import { expect, test } from "../support/contract-test";
import { messageIn } from "../support/follow";

const PATH = "/messages/send";
const UNKNOWN = "/messages/msg_01k9x7t4m2e8v5q3r6w1y0z8ab";

const redactOf = (id: string) => ({ method: "POST", path: `/messages/${id}/redact` });

test.describe("POST /messages/{id}/redact", () => {
  const message = { to: "+14155550123", body: "Your code is 4711" };

  test("deletes the text of a message for good, also from its events and a repeated send", async ({
    rest,
    account,
  }) => {
    const send = () =>
      rest.post<Message>(PATH, { ...message, from: account.sender }, { "idempotency-key": "redacted-once" });
    const { id } = await send();
    const delivered = await messageIn(rest, id, "delivered");
    const redacted = await rest.post<Message>(`/messages/${id}/redact`);
    expect(redacted).toEqual({ ...delivered, body: "" });
    expect(await rest.post<Message>(`/messages/${id}/redact`)).toEqual(redacted);
    expect(await rest.get<Message>(`/messages/${id}`)).toEqual(redacted);
    const { items } = await rest.page<{ data: Message }>(`/events?message_id=${id}`);
    expect(items.map(({ data }) => data.body)).toEqual(["", ""]);
    expect(await send()).toMatchObject({ id, body: "" });
  });

  test("a message that has not ended keeps its text", async ({ rest, account }) => {
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = await rest.post<Message>(PATH, { ...message, from: account.sender, send_at });
    expect(await rest.refusal(400, redactOf(id))).toMatchObject({
      param: "id",
      details: { reason: "not_redactable", status: "pending" },
    });
    expect(await rest.get<Message>(`/messages/${id}`)).toMatchObject({ body: message.body });
  });

  requiresKey("POST", `${UNKNOWN}/redact`);

  test("either permission to send allows it, and no other does; it is a 404 for another account", async ({
    rest,
    account,
    keyed,
    stranger,
  }) => {
    const { id } = await rest.post<Message>(PATH, { ...message, from: account.sender });
    await messageIn(rest, id, "delivered");
    await rest.refusal(404, { method: "POST", path: `${UNKNOWN}/redact` });
    await stranger.rest.refusal(404, redactOf(id));
    const others = PERMISSIONS.filter((held) => held !== "sms:send" && held !== "sms:bulk");
    await (await keyed({ permissions: others })).refusal(403, redactOf(id));
    expect(await rest.get<Message>(`/messages/${id}`)).toMatchObject({ body: message.body });
    for (const held of ["sms:send", "sms:bulk"] as const) {
      expect((await (await keyed({ permissions: [held] })).ask(redactOf(id))).status).toBe(200);
    }
  });
});
