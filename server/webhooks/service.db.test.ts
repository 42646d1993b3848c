import { describe, expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { deliveriesOf, makeMessages, raiseEvents, recordWaitingOf } from "@/test/database/webhooks";
import { pool } from "../core/db";
import { secretKeys } from "../core/env";
import { isApiError } from "../core/errors";
import { newId } from "../core/ids";
import { unseal } from "../core/seal";
import { recordOutcome } from "./delivery/record-outcome";
import { listDeliveries } from "./history/list-deliveries";
import { listEvents } from "./history/list-events";
import { CreatedWebhookEndpoint, Delivery, Event, WebhookEndpoint } from "./schema";
import { createEndpoint, deleteEndpoint, enableEndpoint, getEndpoint, listEndpoints, updateEndpoint } from "./service";

const URL = "http://127.0.0.1:9/hook";
const FIRST_PAGE = { page: 1, limit: 50 };

async function failureOf(promise: Promise<unknown>) {
  const thrown: unknown = await promise.then(
    () => null,
    (reason) => reason,
  );
  return isApiError(thrown) ? { status: thrown.status, ...thrown.wire } : thrown;
}

/** Sets the counters that message transitions keep. */
const countEvents = (account: TestAccount, sent: number, delivered: number, failed: number) =>
  pool().query(
    "INSERT INTO usage_days (account_id, day, events_sent, events_delivered, events_failed) VALUES ($1, now(), $2, $3, $4)",
    [account.accountId, sent, delivered, failed],
  );

describe("createEndpoint", () => {
  test("shows the secret once and stores it sealed", async () => {
    const { actor, accountId } = await makeAccount();
    const created = await createEndpoint(actor, { url: URL, description: "orders" });
    expect(CreatedWebhookEndpoint.parse(created)).toMatchObject({
      object: "webhook_endpoint",
      url: URL,
      description: "orders",
      is_active: true,
      failure_count: 0,
    });
    expect(created.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { rows } = await pool().query<{ sealed: string }>(
      "SELECT secret_sealed AS sealed FROM webhook_endpoints WHERE account_id = $1",
      [accountId],
    );
    expect(unseal(secretKeys(), "webhook signing secret", rows[0]?.sealed ?? "")).toBe(created.signing_secret);
    const { signing_secret, ...shown } = created;
    expect(await getEndpoint(actor, created.id)).toEqual(shown);
    expect(WebhookEndpoint.strict().parse(shown)).toEqual(shown);
  });

  test.each([
    [undefined, ["message.sent", "message.delivered", "message.failed"]],
    [["*" as const], ["message.sent", "message.delivered", "message.failed"]],
    [
      ["message.failed" as const, "message.sent" as const, "message.failed" as const],
      ["message.sent", "message.failed"],
    ],
    [
      ["message.sent" as const, "*" as const],
      ["message.sent", "message.delivered", "message.failed"],
    ],
  ])("events %j are stored as %j", async (events, stored) => {
    const { actor } = await makeAccount();
    expect((await createEndpoint(actor, { url: URL, events })).events).toEqual(stored);
  });

  test.each(["http://10.0.0.1/", "http://169.254.169.254/latest", "http://[fd00::1]/", "https://user:pass@127.0.0.1/"])(
    "%s is refused",
    async (url) => {
      const { actor } = await makeAccount();
      expect(await failureOf(createEndpoint(actor, { url }))).toMatchObject({
        status: 400,
        param: "url",
        details: { reason: "url_not_allowed" },
      });
      expect((await listEndpoints(actor)).data).toEqual([]);
    },
  );

  test("an account has at most 50, even under concurrent creations; a deleted one does not count", async () => {
    const { actor, accountId } = await makeAccount();
    // Concurrent creations wait for each other: on a slow machine most of many would wait for too long.
    await pool().query(
      `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed)
       SELECT 'whe_' || $1 || n, $1, $2, '{}', '' FROM generate_series(1, 46) AS n`,
      [accountId, URL],
    );
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => createEndpoint(actor, { url: URL })));
    const refused = made.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
    expect(refused).toMatchObject(Array(4).fill({ status: 400, wire: { details: { reason: "endpoint_limit" } } }));
    const { data } = await listEndpoints(actor);
    await deleteEndpoint(actor, data[0]?.id ?? "");
    await createEndpoint(actor, { url: URL });
  });
});

describe("endpoints", () => {
  test("are listed newest first", async () => {
    const { actor } = await makeAccount();
    const first = await createEndpoint(actor, { url: URL });
    const second = await createEndpoint(actor, { url: URL });
    const { object, data } = await listEndpoints(actor);
    expect(object).toBe("list");
    expect(data.map((each) => each.id)).toEqual([second.id, first.id]);
  });

  test("a deleted one is no longer found", async () => {
    const { actor } = await makeAccount();
    const { id } = await createEndpoint(actor, { url: URL });
    expect(await deleteEndpoint(actor, id)).toEqual({ id, object: "webhook_endpoint", deleted: true });
    for (const operation of [getEndpoint, deleteEndpoint, enableEndpoint]) {
      expect(await failureOf(operation(actor, id))).toMatchObject({ status: 404, code: "not_found" });
    }
    expect((await listEndpoints(actor)).data).toEqual([]);
  });

  test("enabling resets the failure count", async () => {
    const { actor } = await makeAccount();
    const { id } = await createEndpoint(actor, { url: URL });
    await pool().query(
      `UPDATE webhook_endpoints SET is_active = false, failure_count = 25, disabled_at = now(),
         disabled_reason = 'consecutive_failures' WHERE id = $1`,
      [id],
    );
    const disabled = { is_active: false, disabled_at: expect.any(String), disabled_reason: "consecutive_failures" };
    expect(await getEndpoint(actor, id)).toMatchObject(disabled);
    expect((await listEndpoints(actor)).data).toMatchObject([disabled]);
    const enabled = { is_active: true, failure_count: 0, disabled_at: null, disabled_reason: null };
    expect(await enableEndpoint(actor, id)).toMatchObject(enabled);
  });

  test("enabling an active endpoint leaves its failure count unchanged", async () => {
    const { actor } = await makeAccount();
    const { id } = await createEndpoint(actor, { url: URL });
    await pool().query("UPDATE webhook_endpoints SET failure_count = 24 WHERE id = $1", [id]);
    expect(await enableEndpoint(actor, id)).toMatchObject({ is_active: true, failure_count: 24 });
  });

  test("another account's endpoint is 404 and unchanged", async () => {
    const [owner, other] = [await makeAccount(), await makeAccount()];
    const { id } = await createEndpoint(owner.actor, { url: URL });
    for (const operation of [getEndpoint, deleteEndpoint, enableEndpoint]) {
      expect(await failureOf(operation(other.actor, id))).toMatchObject({ status: 404, code: "not_found" });
    }
    expect(await failureOf(listDeliveries(other.actor, { id, ...FIRST_PAGE }))).toMatchObject({
      status: 404,
      param: "id",
    });
    expect((await listEndpoints(other.actor)).data).toEqual([]);
    expect(await getEndpoint(owner.actor, id)).toMatchObject({ is_active: true });
  });
});

describe("updateEndpoint", () => {
  test("changes what is given, keeps the rest, and can be repeated", async () => {
    const { actor } = await makeAccount();
    const { signing_secret: _, ...created } = await createEndpoint(actor, { url: URL, description: "orders" });
    await pool().query("UPDATE webhook_endpoints SET failure_count = 7, is_active = false WHERE id = $1", [created.id]);
    const now = { ...created, failure_count: 7, is_active: false };
    expect(await updateEndpoint(actor, { id: created.id })).toEqual(now);
    const url = `${URL}/new`;
    for (let round = 0; round < 2; round += 1) {
      expect(await updateEndpoint(actor, { id: created.id, url })).toEqual({ ...now, url });
    }
    const events = ["message.failed" as const];
    expect(await updateEndpoint(actor, { id: created.id, events })).toEqual({ ...now, url, events });
    expect(await updateEndpoint(actor, { id: created.id, description: null, events: ["*"] })).toEqual({
      ...now,
      url,
      description: null,
    });
    expect(await getEndpoint(actor, created.id)).toMatchObject({ url, description: null });
  });

  test("refuses a URL that creation refuses, and changes nothing then", async () => {
    const { actor } = await makeAccount();
    const { id } = await createEndpoint(actor, { url: URL });
    expect(await failureOf(updateEndpoint(actor, { id, url: "http://10.0.0.1/", description: "x" }))).toMatchObject({
      status: 400,
      param: "url",
      details: { reason: "url_not_allowed" },
    });
    expect(await getEndpoint(actor, id)).toMatchObject({ url: URL, description: null });
  });

  test("events from then on go to whom they are due, and waiting deliveries stay", async () => {
    const account = await makeAccount();
    const { id } = await createEndpoint(account.actor, { url: URL, events: ["message.sent"] });
    const messages = await makeMessages(account, 2, "delivered");
    await raiseEvents(account, messages.slice(0, 1), "sent");
    await updateEndpoint(account.actor, { id, events: ["message.delivered"] });
    await raiseEvents(account, messages.slice(1), "sent");
    await raiseEvents(account, messages.slice(1), "delivered");
    await recordWaitingOf(id);
    const { items } = await listDeliveries(account.actor, { id, ...FIRST_PAGE });
    expect(items.map((item) => item.event_type)).toEqual(["message.delivered", "message.sent"]);
    expect(items.map((item) => item.status)).toEqual(["pending", "pending"]);
  });

  test("a deleted or foreign endpoint is a 404", async () => {
    const [account, stranger] = [await makeAccount(), await makeAccount()];
    const { id } = await createEndpoint(account.actor, { url: URL });
    expect(await failureOf(updateEndpoint(stranger.actor, { id, url: "http://10.0.0.1/" }))).toMatchObject({
      status: 404,
    });
    await deleteEndpoint(account.actor, id);
    expect(await failureOf(updateEndpoint(account.actor, { id, description: "x" }))).toMatchObject({ status: 404 });
  });
});

describe("listEvents", () => {
  test("shows each event with the message as it was then, newest first", async () => {
    const account = await makeAccount();
    const messages = await makeMessages(account, 1, "delivered");
    await raiseEvents(account, messages, "sent");
    await raiseEvents(account, messages, "delivered");
    await countEvents(account, 1, 1, 0);
    const { items, pagination } = await listEvents(account.actor, FIRST_PAGE);
    expect(pagination).toEqual({ page: 1, limit: 50, total: 2, pages: 1, has_more: false });
    expect(items.map((item) => Event.strict().parse(item).type)).toEqual(["message.delivered", "message.sent"]);
    expect(items[0]?.data).toMatchObject({ id: messages[0], status: "delivered", reference: "order 7" });
    expect(items[0]?.data).toMatchObject({ delivered_at: expect.any(String) });
    expect(items[1]?.data).toMatchObject({ id: messages[0], status: "sent", delivered_at: null, reference: "order 7" });
  });

  test("pages and filters by type, with totals from the counters", async () => {
    const account = await makeAccount();
    const messages = await makeMessages(account, 5, "failed");
    await raiseEvents(account, messages, "sent");
    await raiseEvents(account, messages.slice(0, 2), "failed");
    await countEvents(account, 5, 0, 2);
    const second = await listEvents(account.actor, { page: 2, limit: 3 });
    expect(second.pagination).toEqual({ page: 2, limit: 3, total: 7, pages: 3, has_more: true });
    expect(second.items).toHaveLength(3);
    const failed = await listEvents(account.actor, { type: "message.failed", ...FIRST_PAGE });
    expect(failed.pagination.total).toBe(2);
    expect(failed.items.map((item) => item.data.id).sort()).toEqual(messages.slice(0, 2).sort());
    expect(failed.items[0]?.data).toMatchObject({ error: { code: "rejected", message: "Refused by the carrier." } });
  });

  const DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"].map((day) => new Date(`${day}T00:00:00Z`));

  /** Events of three messages on three days, of which the last was delivered, too, when it was sent. */
  async function raiseOnDays(account: TestAccount, messages: readonly string[]): Promise<void> {
    for (const [place, id] of messages.entries()) {
      const at = DAYS[place];
      await pool().query("UPDATE messages SET sent_at = $2, delivered_at = $3 WHERE id = $1", [
        id,
        at,
        place === 2 ? at : null,
      ]);
      await raiseEvents(account, [id], "sent", at);
      if (place === 2) await raiseEvents(account, [id], "delivered", at);
    }
  }

  /** Rows as versions before derived ids recorded them, later than the events happened. */
  async function recordAsBefore(account: TestAccount, messages: readonly string[]): Promise<void> {
    await raiseOnDays(account, messages);
    const { rows } = await pool().query<{ id: string }>("SELECT id FROM events WHERE account_id = $1 ORDER BY id", [
      account.accountId,
    ]);
    for (const { id } of rows) await pool().query("UPDATE events SET id = $2 WHERE id = $1", [id, newId("event")]);
  }

  test.each([
    ["derived ids", raiseOnDays],
    ["the random ids of versions before", recordAsBefore],
  ])("filters by message and by time, with totals of what it finds: %s", async (_, raise) => {
    const account = await makeAccount();
    const messages = await makeMessages(account, 3, "delivered");
    const [first, second, third] = messages;
    await raise(account, messages);
    const found = async (query: object) => {
      const { items, pagination } = await listEvents(account.actor, { ...FIRST_PAGE, ...query });
      return { ids: items.map((item) => item.data.id), total: pagination.total };
    };
    expect(await found({ message_id: third })).toEqual({ ids: [third, third], total: 2 });
    expect(await found({ message_id: third, type: "message.sent" })).toEqual({ ids: [third], total: 1 });
    expect(await found({ message_id: third, limit: 1, page: 2 })).toEqual({ ids: [third], total: 2 });
    expect(await found({ message_id: "msg_none" })).toEqual({ ids: [], total: 0 });
    const from = { created_after: "2026-01-02T00:00:00Z" };
    expect(await found(from)).toEqual({ ids: [third, third, second], total: 3 });
    expect(await found({ ...from, type: "message.delivered" })).toEqual({ ids: [third], total: 1 });
    const until = { created_before: "2026-01-03T01:00:00+01:00" };
    expect(await found({ ...from, ...until })).toEqual({ ids: [second], total: 1 });
    expect(await found(until)).toEqual({ ids: [second, first], total: 2 });
    expect(await found({ message_id: third, ...until })).toEqual({ ids: [], total: 0 });
    const stranger = await makeAccount();
    expect((await listEvents(stranger.actor, { ...FIRST_PAGE, message_id: first })).items).toEqual([]);
  });

  test("omits other accounts' events", async () => {
    const [owner, other] = [await makeAccount(), await makeAccount()];
    await raiseEvents(owner, await makeMessages(owner, 1));
    const { items, pagination } = await listEvents(other.actor, FIRST_PAGE);
    expect(items).toEqual([]);
    expect(pagination.total).toBe(0);
  });
});

test("listDeliveries shows deliveries newest first, each with its tries, and filters by status", async () => {
  const account = await makeAccount();
  const { id } = await createEndpoint(account.actor, { url: URL });
  const messages = await makeMessages(account, 3);
  for (const message of messages) await raiseEvents(account, [message]);
  await recordWaitingOf(id);
  const [first] = await deliveriesOf(id);
  const made = { deliveryId: first?.id ?? "", endpointId: id, generation: 0, round: 0 };
  const tried = { ...made, retryAfterS: null, finishedAt: new Date() };
  const refused = {
    acknowledged: false,
    statusCode: 500,
    latencyMs: 12,
    error: "The endpoint responded with 500.",
    responseHead: "",
  };
  await recordOutcome({ ...tried, ...refused, attempt: 1 });
  const taken = { acknowledged: true, statusCode: 200, latencyMs: 9, error: null, responseHead: "ok" };
  await recordOutcome({ ...tried, ...taken, attempt: 2 });
  const all = await listDeliveries(account.actor, { id, page: 1, limit: 2 });
  expect(all.pagination).toEqual({ page: 1, limit: 2, total: 3, pages: 2, has_more: true });
  expect(all.items.map((item) => item.message_id)).toEqual([messages[2], messages[1]]);
  expect(all.items[0]).toMatchObject({ status: "pending", attempts: 0, event_type: "message.sent", tries: [] });
  const delivered = await listDeliveries(account.actor, { id, status: "delivered", ...FIRST_PAGE });
  expect(delivered.items.map((item) => Delivery.strict().parse(item).id)).toEqual([first?.id]);
  expect(delivered.items[0]?.tries).toMatchObject([
    { attempt: 1, status_code: 500, error: "The endpoint responded with 500." },
    { attempt: 2, status_code: 200, error: null, response_head: "ok" },
  ]);
});
