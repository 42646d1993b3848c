import type { Estimate } from "@/server/messages/accept/estimate-schema";
import type { BulkResult, Message } from "@/server/messages/schema";
import { PERMISSIONS, requiresKey } from "../support/access";
import { expect, test } from "../support/contract-test";
import { balanceOf, ISO, messageIn } from "../support/follow";

const PATH = "/messages/send";
const TO = "+14155550123";
const UNKNOWN = "/messages/msg_01k9x7t4m2e8v5q3r6w1y0z8ab";
const DAY_MS = 86_400_000;

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
const cancelOf = (id: string) => ({ method: "POST", path: `/messages/${id}/cancel` });

test.describe("send_at", () => {
  test("a scheduled message is pending until its time, and is then sent and delivered", async ({ rest, account }) => {
    const send_at = ahead(6_000);
    const message = await rest.post<Message>(PATH, { to: TO, from: account.sender, body: "Hello", send_at });
    expect(message).toMatchObject({ status: "pending", scheduled_at: send_at, cost: 0.01 });
    expect(await balanceOf(rest)).toBe(99.99);
    const delivered = await messageIn(rest, message.id, "delivered");
    expect(delivered.scheduled_at).toBe(send_at);
    expect(Date.parse(delivered.sent_at ?? "")).toBeGreaterThanOrEqual(Date.parse(send_at));
  });

  test("a time with an offset is accepted, and the response has it in UTC", async ({ rest, account }) => {
    const message = { to: TO, from: account.sender, body: "Hello" };
    const [date = ""] = ahead(2 * DAY_MS).split("T");
    const scheduled = await rest.post<Message>(PATH, { ...message, send_at: `${date}T09:00:00+02:00` });
    expect(scheduled.scheduled_at).toBe(`${date}T07:00:00.000Z`);
  });

  test("every message of a bulk is scheduled", async ({ rest, account }) => {
    const send_at = ahead(DAY_MS);
    const recipients = [TO, "+14155550124"];
    const { messages } = await rest.post<BulkResult>("/messages/bulk", {
      recipients,
      from: account.sender,
      body: "To all",
      send_at,
    });
    expect(messages.map(({ status, scheduled_at }) => [status, scheduled_at])).toEqual([
      ["pending", send_at],
      ["pending", send_at],
    ]);
  });

  test("a time that has passed, is too far ahead or is invalid is refused by name, by the estimate too", async ({
    rest,
    account,
  }) => {
    const message = { to: TO, from: account.sender, body: "Hello" };
    for (const [send_at, reason] of [
      [ahead(-60_000), "send_at_in_the_past"],
      [ahead(30 * DAY_MS + 60_000), "send_at_too_far_ahead"],
    ]) {
      const body = { ...message, send_at };
      expect(await rest.refusal(400, { method: "POST", path: PATH, body })).toMatchObject({
        param: "send_at",
        details: { reason },
      });
      const { refusals } = await rest.post<Estimate>("/messages/estimate", body);
      expect(refusals).toMatchObject([{ status: 400, reason, param: "send_at" }]);
    }
    for (const send_at of ["tomorrow", "2026-02-01T09:00:00", 5]) {
      const body = { ...message, send_at };
      expect(await rest.refusal(400, { method: "POST", path: PATH, body })).toMatchObject({ param: "send_at" });
    }
    expect(await balanceOf(rest)).toBe(100);
  });
});

test.describe("POST /messages/{id}/cancel", () => {
  const schedule = { to: TO, body: "Hello", send_at: ahead(DAY_MS) };

  test("ends a scheduled message as failed and refunds it; a repeat gets the same response", async ({
    rest,
    account,
  }) => {
    const { id } = await rest.post<Message>(PATH, { ...schedule, from: account.sender });
    const canceled = await rest.post<Message>(`/messages/${id}/cancel`);
    expect(canceled).toMatchObject({
      id,
      status: "failed",
      cost: 0,
      attempts: 0,
      sent_at: null,
      failed_at: ISO,
      error: { code: "canceled" },
    });
    expect(await rest.post<Message>(`/messages/${id}/cancel`)).toEqual(canceled);
    expect(await rest.get<Message>(`/messages/${id}`)).toEqual(canceled);
    expect(await balanceOf(rest)).toBe(100);
    const { items } = await rest.page<{ type: string; data: Message }>(`/events?message_id=${id}`);
    expect(items.map(({ type, data }) => [type, data])).toEqual([["message.failed", canceled]]);
  });

  test("a message that was sent is not canceled", async ({ rest, account }) => {
    const { id } = await rest.post<Message>(PATH, { to: TO, from: account.sender, body: "Hello" });
    await messageIn(rest, id, "delivered");
    expect(await rest.refusal(400, cancelOf(id))).toMatchObject({
      param: "id",
      details: { reason: "not_cancelable", status: "delivered" },
    });
  });

  requiresKey("POST", `${UNKNOWN}/cancel`);

  test("either permission to send allows it, and no other does", async ({ rest, account, keyed }) => {
    const { id } = await rest.post<Message>(PATH, { ...schedule, from: account.sender });
    const others = PERMISSIONS.filter((held) => held !== "sms:send" && held !== "sms:bulk");
    await (await keyed({ permissions: others })).refusal(403, cancelOf(id));
    for (const held of ["sms:send", "sms:bulk"] as const) {
      expect((await (await keyed({ permissions: [held] })).ask(cancelOf(id))).status).toBe(200);
    }
  });

  test("is a 404 for an unknown message and for another account's", async ({ rest, account, stranger }) => {
    await rest.refusal(404, { method: "POST", path: `${UNKNOWN}/cancel` });
    const { id } = await rest.post<Message>(PATH, { ...schedule, from: account.sender });
    await stranger.rest.refusal(404, cancelOf(id));
    expect(await rest.get<Message>(`/messages/${id}`)).toMatchObject({ status: "pending" });
  });
});

test.describe("POST /messages/{id}/reschedule", () => {
  const rescheduleOf = (id: string, body: object) => ({ method: "POST", path: `/messages/${id}/reschedule`, body });
  const schedule = { to: TO, body: "Hello", send_at: ahead(DAY_MS) };

  test("gives a scheduled message another time, or sends it at once; a repeat gets the same response", async ({
    rest,
    account,
  }) => {
    const { id } = await rest.post<Message>(PATH, { ...schedule, from: account.sender });
    const send_at = ahead(2 * DAY_MS);
    const moved = await rest.post<Message>(`/messages/${id}/reschedule`, { send_at });
    expect(moved).toMatchObject({ id, status: "pending", cost: 0.01, scheduled_at: send_at });
    expect(await rest.post<Message>(`/messages/${id}/reschedule`, { send_at })).toEqual(moved);
    expect(await rest.get<Message>(`/messages/${id}`)).toEqual(moved);
    const sent = await rest.post<Message>(`/messages/${id}/reschedule`, { send_at: null });
    expect(Date.parse(sent.scheduled_at ?? "")).toBeLessThan(Date.parse(schedule.send_at));
    expect(await messageIn(rest, id, "delivered")).toMatchObject({ scheduled_at: sent.scheduled_at });
    expect((await rest.ask(rescheduleOf(id, { send_at: null }))).status).toBe(200);
    expect(await balanceOf(rest)).toBe(99.99);
  });

  test("a message is sent at its new time, not before", async ({ rest, account }) => {
    const { id } = await rest.post<Message>(PATH, { ...schedule, from: account.sender });
    const send_at = ahead(6_000);
    await rest.post<Message>(`/messages/${id}/reschedule`, { send_at });
    const { sent_at } = await messageIn(rest, id, "delivered");
    expect(Date.parse(sent_at ?? "")).toBeGreaterThanOrEqual(Date.parse(send_at));
  });

  test("a message that was sent, or was not scheduled, keeps its time", async ({ rest, account }) => {
    const { id } = await rest.post<Message>(PATH, { to: TO, from: account.sender, body: "Hello" });
    await messageIn(rest, id, "delivered");
    expect(await rest.refusal(400, rescheduleOf(id, { send_at: ahead(DAY_MS) }))).toMatchObject({
      param: "id",
      details: { reason: "not_reschedulable", status: "delivered" },
    });
  });

  test("a time that has passed, is too far ahead, invalid or absent is refused by name", async ({ rest, account }) => {
    const { id } = await rest.post<Message>(PATH, { ...schedule, from: account.sender });
    for (const [send_at, reason] of [
      [ahead(-60_000), "send_at_in_the_past"],
      [ahead(30 * DAY_MS + 60_000), "send_at_too_far_ahead"],
    ]) {
      expect(await rest.refusal(400, rescheduleOf(id, { send_at }))).toMatchObject({
        param: "send_at",
        details: { reason },
      });
    }
    for (const body of [{}, { send_at: "tomorrow" }, { send_at: 5 }]) {
      expect(await rest.refusal(400, rescheduleOf(id, body))).toMatchObject({ param: "send_at" });
    }
    expect(await rest.get<Message>(`/messages/${id}`)).toMatchObject({ scheduled_at: schedule.send_at });
  });

  requiresKey("POST", `${UNKNOWN}/reschedule`);

  test("either permission to send allows it, and no other does; other accounts get a 404", async ({
    rest,
    account,
    keyed,
    stranger,
  }) => {
    const { id } = await rest.post<Message>(PATH, { ...schedule, from: account.sender });
    const request = rescheduleOf(id, { send_at: ahead(DAY_MS) });
    const others = PERMISSIONS.filter((held) => held !== "sms:send" && held !== "sms:bulk");
    await (await keyed({ permissions: others })).refusal(403, request);
    for (const held of ["sms:send", "sms:bulk"] as const) {
      expect((await (await keyed({ permissions: [held] })).ask(request)).status).toBe(200);
    }
    await stranger.rest.refusal(404, request);
    await rest.refusal(404, { ...request, path: `${UNKNOWN}/reschedule` });
  });
});
