import type { Message } from "@/server/messages/schema";
import type { Sender } from "@/server/senders/schema";
import { requiresKey, requiresPermission } from "../support/access";
import { expect, test } from "../support/contract-test";
import { ISO } from "../support/follow";

const UNKNOWN = "/senders/snd_01k9x7t4m2e8v5q3r6w1y0z8ab";

const create = (body: unknown) => ({ method: "POST", path: "/senders/create", body });

test.describe("GET /senders", () => {
  test("lists newest first, by status and page by page", async ({ rest, account, operator }) => {
    const made: Sender[] = [];
    for (let at = 0; at < 4; at += 1) made.push(await rest.post<Sender>("/senders/create", { sender_id: `SHOP${at}` }));
    await operator.approveSender(made[1]?.id ?? "");
    const ids = (senders: Sender[]) => senders.map((sender) => sender.sender_id);
    const all = await rest.page<Sender>("/senders");
    expect(ids(all.items)).toEqual(["SHOP3", "SHOP2", "SHOP1", "SHOP0", account.sender]);
    expect(all.pagination).toEqual({ page: 1, limit: 50, total: 5, pages: 1, has_more: false });
    const second = await rest.page<Sender>("/senders?limit=2&page=2");
    expect(ids(second.items)).toEqual(["SHOP1", "SHOP0"]);
    expect(second.pagination).toEqual({ page: 2, limit: 2, total: 5, pages: 3, has_more: true });
    const approved = await rest.page<Sender>("/senders?status=approved");
    expect(ids(approved.items)).toEqual(expect.arrayContaining(["SHOP1", account.sender]));
    expect(approved.items.every((sender) => sender.status === "approved")).toBe(true);
    expect((await rest.page("/senders?status=rejected")).items).toEqual([]);
    expect((await rest.page("/senders?status=suspended")).pagination.total).toBe(0);
  });

  test("refuses each wrong parameter with a 400 that names it", async ({ rest }) => {
    for (const [param, value] of Object.entries({ status: "new", page: "0", limit: "101" })) {
      const error = await rest.refusal(400, { method: "GET", path: `/senders?${param}=${value}` });
      expect(error).toMatchObject({ param });
    }
  });

  requiresPermission(null, () => ({ method: "GET", path: "/senders" }));

  requiresKey("GET", "/senders");

  test("cannot see another account", async ({ rest, account, stranger }) => {
    await rest.post("/senders/create", { sender_id: "MINE" });
    const { items } = await stranger.rest.page<Sender>("/senders");
    expect(items.map((sender) => sender.sender_id)).toEqual([stranger.account.sender]);
    expect(account.sender).not.toBe(stranger.account.sender);
  });
});

test.describe("POST /senders/create", () => {
  test("responds 201 with a sender that waits for approval, its type derived from its form", async ({ rest }) => {
    const forms: [input: object, expected: Partial<Sender>][] = [
      [{ sender_id: "NEWSHOP" }, { type: "alphanumeric", country_code: null }],
      [{ sender_id: "Shop24Store" }, { type: "alphanumeric" }],
      [
        { sender_id: "12345", country_code: "US" },
        { type: "short_code", country_code: "US" },
      ],
      [{ sender_id: "491711234567" }, { type: "long_code" }],
      [{ sender_id: "+49171123456789" }, { type: "long_code" }],
      [{ sender_id: "54321", type: "numeric" }, { type: "numeric" }],
      [{ sender_id: "777", type: "short_code" }, { type: "short_code" }],
      [{ sender_id: "4917112345678", type: "long_code" }, { type: "long_code" }],
      [
        { sender_id: "TYPED", type: "alphanumeric", country_code: "de" },
        { type: "alphanumeric", country_code: "DE" },
      ],
    ];
    for (const [input, expected] of forms) {
      expect(await rest.post<Sender>("/senders/create", input)).toEqual({
        country_code: null,
        ...input,
        ...expected,
        id: expect.stringMatching(/^snd_[0-9a-z]{26}$/),
        object: "sender",
        livemode: true,
        status: "pending",
        status_reason: null,
        dlt_entity_id: null,
        dlt_template_id: null,
        dlt_template_category: null,
        approved_at: null,
        created_at: ISO,
      });
    }
  });

  test("a sender may be used once it is approved, and not before", async ({ rest, operator }) => {
    for (const sender_id of ["SHOP", "12345", "+491711234567"]) {
      const sender = await rest.post<Sender>("/senders/create", { sender_id });
      const message = { to: "+15550100008", from: sender_id, body: "Hello" };
      expect(await rest.refusal(400, { method: "POST", path: "/messages/send", body: message })).toMatchObject({
        details: { reason: "sender_not_approved" },
      });
      await operator.approveSender(sender.id);
      expect(await rest.get<Sender>(`/senders/${sender.id}`)).toMatchObject({ status: "approved", approved_at: ISO });
      expect(await rest.post<Message>("/messages/send", message)).toMatchObject({ from: sender_id });
    }
  });

  test("a sender is approved automatically after the time that the operator has set", async ({ rest }) => {
    const { id } = await rest.post<Sender>("/senders/create", { sender_id: "PATIENT" });
    await expect.poll(() => rest.get<Sender>(`/senders/${id}`)).toMatchObject({ status: "approved", approved_at: ISO });
  });

  test("refuses each wrong field with a 400 that names it", async ({ rest, account }) => {
    const wrong: [change: object, param: string, reason?: string][] = [
      [{ sender_id: undefined }, "sender_id"],
      [{ sender_id: "" }, "sender_id"],
      [{ sender_id: 12345 }, "sender_id"],
      [{ sender_id: "x".repeat(17) }, "sender_id"],
      [{ sender_id: "TWELVELETTER" }, "sender_id", "invalid_sender_id"],
      [{ sender_id: " SHOP" }, "sender_id", "invalid_sender_id"],
      [{ sender_id: "A+B" }, "sender_id", "invalid_sender_id"],
      [{ sender_id: "Größe" }, "sender_id", "invalid_sender_id"],
      [{ sender_id: "12" }, "sender_id", "invalid_sender_id"],
      [{ sender_id: account.sender }, "sender_id", "sender_exists"],
      [{ type: "long" }, "type"],
      [{ type: "short_code" }, "type", "sender_type_mismatch"],
      [{ sender_id: "12345", type: "alphanumeric" }, "type", "sender_type_mismatch"],
      [{ country_code: "USA" }, "country_code"],
      [{ country_code: "U" }, "country_code"],
      [{ country_code: "" }, "country_code"],
      [{ country_code: 49 }, "country_code"],
    ];
    for (const [change, param, reason] of wrong) {
      const error = await rest.refusal(400, create({ sender_id: "SHOP", ...change }));
      expect(error, JSON.stringify(change)).toMatchObject({ param, details: reason ? { reason } : {} });
    }
    expect((await rest.page("/senders")).pagination.total).toBe(1);
  });

  requiresPermission("senders:write", () => create({ sender_id: "SHOP" }));

  requiresKey("POST", "/senders/create");

  test("cannot see another account", async ({ rest, stranger }) => {
    const mine = await rest.post<Sender>("/senders/create", { sender_id: "SHOP" });
    // A name that another account has is free.
    const theirs = await stranger.rest.post<Sender>("/senders/create", { sender_id: "SHOP" });
    expect(theirs.id).not.toBe(mine.id);
  });
});

test.describe("GET /senders/{id}", () => {
  test("returns the sender", async ({ rest, operator }) => {
    const sender = await rest.post<Sender>("/senders/create", { sender_id: "SHOP", country_code: "US" });
    // Otherwise it might be approved automatically at any moment.
    await operator.approveSender(sender.id);
    const approved = { ...sender, status: "approved", approved_at: ISO };
    expect(await rest.get<Sender>(`/senders/${sender.id}`)).toEqual(approved);
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest, account }) => {
    for (const path of [UNKNOWN, "/senders/none", `/senders/${account.sender}`]) {
      expect(await rest.refusal(404, { method: "GET", path })).toMatchObject({ param: "id" });
    }
    expect(await rest.refusal(400, { method: "GET", path: "/senders/%00" })).toMatchObject({ param: "id" });
  });

  requiresPermission(null, async (rest) => {
    const { id } = await rest.post<Sender>("/senders/create", { sender_id: "SHOP" });
    return { method: "GET", path: `/senders/${id}` };
  });

  requiresKey("GET", UNKNOWN);

  test("cannot see another account", async ({ rest, stranger }) => {
    const { id } = await rest.post<Sender>("/senders/create", { sender_id: "SHOP" });
    const foreign = await stranger.rest.refusal(404, { method: "GET", path: `/senders/${id}` });
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "GET", path: UNKNOWN }));
  });
});

test.describe("DELETE /senders/{id}", () => {
  const remove = (id: string) => ({ method: "DELETE", path: `/senders/${id}` });

  test("the sender is gone at once, and can be registered again", async ({ rest, account, operator }) => {
    const sender = await rest.post<Sender>("/senders/create", { sender_id: "SHOP" });
    await operator.approveSender(sender.id);
    const message = { to: "+15550100008", from: "SHOP", body: "Hello" };
    await rest.post<Message>("/messages/send", message);
    expect((await rest.ask(remove(sender.id))).body.data).toEqual({ id: sender.id, object: "sender", deleted: true });
    await rest.refusal(404, remove(sender.id));
    await rest.refusal(404, { method: "GET", path: `/senders/${sender.id}` });
    expect((await rest.page<Sender>("/senders")).items.map((one) => one.sender_id)).toEqual([account.sender]);
    const refused = await rest.refusal(400, { method: "POST", path: "/messages/send", body: message });
    expect(refused.details.reason).toBe("sender_not_approved");
    expect(await rest.post<Sender>("/senders/create", { sender_id: "SHOP" })).toMatchObject({ status: "pending" });
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    expect(await rest.refusal(404, { method: "DELETE", path: UNKNOWN })).toMatchObject({ param: "id" });
    expect(await rest.refusal(400, { method: "DELETE", path: "/senders/%00" })).toMatchObject({ param: "id" });
  });

  requiresPermission("senders:write", async (rest) => {
    const { id } = await rest.post<Sender>("/senders/create", { sender_id: "SHOP" });
    return remove(id);
  });

  requiresKey("DELETE", UNKNOWN);

  test("cannot see another account", async ({ rest, stranger }) => {
    const { id } = await rest.post<Sender>("/senders/create", { sender_id: "SHOP" });
    const foreign = await stranger.rest.refusal(404, remove(id));
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "DELETE", path: UNKNOWN }));
    expect(await rest.get<Sender>(`/senders/${id}`)).toMatchObject({ sender_id: "SHOP" });
  });
});

test.describe("PATCH /senders/{id}", () => {
  const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/senders/${id}`, body });

  test("changes the given ids of a registration in India", async ({ rest, operator }) => {
    const { id } = await rest.post<Sender>("/senders/create", {
      sender_id: "ACMEIN",
      dlt_entity_id: "1201159178492032504",
    });
    // Otherwise it might be approved automatically between the change and the check.
    await operator.approveSender(id);
    const answer = await rest.ask(patch(id, { dlt_template_id: "1107169175728319365" }));
    expect(answer.body.data).toMatchObject({
      id,
      dlt_entity_id: "1201159178492032504",
      dlt_template_id: "1107169175728319365",
      dlt_template_category: null,
    });
    expect(await rest.refusal(400, patch(id, { dlt_entity_id: null }))).toMatchObject({
      param: "dlt_entity_id",
      details: { reason: "dlt_entity_missing" },
    });
    expect(await rest.refusal(400, patch(id, { dlt_entity_id: "abc" }))).toMatchObject({ param: "dlt_entity_id" });
    expect(await rest.get<Sender>(`/senders/${id}`)).toEqual(answer.body.data);
  });

  requiresKey("PATCH", UNKNOWN);

  test("cannot change that of another account", async ({ rest, stranger }) => {
    const { id } = await rest.post<Sender>("/senders/create", { sender_id: "SHOP" });
    const foreign = await stranger.rest.refusal(404, patch(id, {}));
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "PATCH", path: UNKNOWN, body: {} }));
  });
});
