import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { pool, prisma } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
import { approvedSender, invalidateApproval } from "./approval";
import { createSender, deleteSender, getSender, listSenderNames, listSenders } from "./service";
import { autoApproveSender } from "./tasks";

afterEach(() => {
  vi.useRealTimers();
  env().SENDER_AUTO_APPROVE_S = 0;
  env().SANDBOX = true;
});

const page = { page: 1, limit: 50 };

const reviewsOf = async (senderId: string) => {
  const { rows } = await pool().query<{ inS: number }>(
    `SELECT extract(epoch FROM run_at - now())::float8 AS "inS" FROM graphile_worker._private_jobs
     WHERE payload->>'senderId' = $1`,
    [senderId],
  );
  return rows;
};

test("a new sender is pending and cannot be used until it is approved", async () => {
  const { actor, accountId } = await makeAccount();
  const sender = await createSender(actor, { sender_id: "Acme", country_code: "us" });
  expect(sender).toMatchObject({
    object: "sender",
    sender_id: "Acme",
    type: "alphanumeric",
    country_code: "US",
    status: "pending",
    approved_at: null,
  });
  expect(await getSender(actor, sender.id)).toEqual(sender);
  expect(await approvedSender(accountId, "Acme")).toBeNull();
  expect(await reviewsOf(sender.id)).toEqual([]);
});

test("the type follows from the form, and a contradicting type is refused with the parameter's name", async () => {
  const { actor } = await makeAccount();
  expect((await createSender(actor, { sender_id: "12345" })).type).toBe("short_code");
  expect((await createSender(actor, { sender_id: "+14155550123" })).type).toBe("long_code");
  expect((await createSender(actor, { sender_id: "14155550124", type: "numeric" })).type).toBe("numeric");
  await expect(createSender(actor, { sender_id: "Brand", type: "short_code" })).rejects.toMatchObject({
    status: 400,
    wire: { param: "type" },
  });
  await expect(createSender(actor, { sender_id: "no, thanks!" })).rejects.toMatchObject({
    status: 400,
    wire: { param: "sender_id", message: expect.stringContaining("letters (A to Z), digits, spaces and . _ - &") },
  });
});

test("a sender ID is registered once per account, even under concurrent calls", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => createSender(mine.actor, { sender_id: "Acme" })),
  );
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  const refused = results.find((result) => result.status === "rejected");
  expect(refused?.reason).toMatchObject({
    status: 400,
    wire: { param: "sender_id", details: { reason: "sender_exists" } },
  });
  expect((await createSender(other.actor, { sender_id: "Acme" })).status).toBe("pending");
});

test.each([
  ["14155550199", "+14155550199"],
  ["+14155550199", "14155550199"],
])("a number that is registered as %s is not registered as %s too, whatever became of it", async (first, second) => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  const { id } = await createSender(mine.actor, { sender_id: first });
  const exists = { status: 400, wire: { param: "sender_id", details: { reason: "sender_exists" } } };
  for (const status of ["pending", "approved", "rejected", "suspended"]) {
    await prisma().sender.update({ where: { id }, data: { status } });
    await expect(createSender(mine.actor, { sender_id: second })).rejects.toMatchObject(exists);
  }
  expect((await createSender(other.actor, { sender_id: second })).status).toBe("pending");
  // As the same spelling is, too.
  await prisma().sender.update({ where: { id }, data: { status: "pending" } });
  await deleteSender(mine.actor, id);
  expect((await createSender(mine.actor, { sender_id: second })).status).toBe("pending");
});

test("a short code is another sender than the number with the same digits", async () => {
  const { actor } = await makeAccount();
  await createSender(actor, { sender_id: "123456" });
  expect((await createSender(actor, { sender_id: "+123456" })).type).toBe("long_code");
});

test("with auto approval a review job is due after the set time and approves a sender that is still pending", async () => {
  env().SENDER_AUTO_APPROVE_S = 60;
  const { actor, accountId } = await makeAccount();
  const { id } = await createSender(actor, { sender_id: "Acme" });
  const [review] = await reviewsOf(id);
  expect(review?.inS).toBeGreaterThan(50);
  expect(review?.inS).toBeLessThanOrEqual(60);
  await autoApproveSender({ senderId: id });
  expect(await getSender(actor, id)).toMatchObject({ status: "approved", approved_at: expect.any(String) });
  expect(await approvedSender(accountId, "Acme")).toBe("Acme");
});

test("a review job does not change an operator's decision", async () => {
  const { actor } = await makeAccount();
  const { id } = await createSender(actor, { sender_id: "Acme" });
  await prisma().sender.update({ where: { id }, data: { status: "rejected" } });
  await autoApproveSender({ senderId: id });
  expect((await getSender(actor, id)).status).toBe("rejected");
});

test("a number that another account has, or had, in either spelling is left to an operator; a name is not", async () => {
  const register = async (sender_id: string) => {
    const { actor } = await makeAccount();
    const { id } = await createSender(actor, { sender_id });
    await autoApproveSender({ senderId: id });
    return { id, status: (await getSender(actor, id)).status };
  };
  env().SANDBOX = false;
  const first = await register("+4917112340001");
  expect(first.status).toBe("approved");
  expect((await register("+4917112340001")).status).toBe("pending");
  await prisma().sender.update({ where: { id: first.id }, data: { status: "suspended" } });
  expect((await register("4917112340001")).status).toBe("pending");
  await prisma().sender.delete({ where: { id: first.id } });
  expect((await register("4917112340001")).status).toBe("approved");
  for (const [sender_id, status] of [
    ["70123", "pending"],
    ["Acme Shop", "approved"],
  ] as const) {
    expect((await register(sender_id)).status).toBe("approved");
    expect((await register(sender_id)).status).toBe(status);
  }
});

test("where the sandbox only pretends to send, any number of accounts may have a number", async () => {
  const made = await Promise.all([1, 2].map(() => makeAccount()));
  const senders = await Promise.all(made.map(({ actor }) => createSender(actor, { sender_id: "+4917112340003" })));
  await Promise.all(senders.map(({ id }) => autoApproveSender({ senderId: id })));
  expect(await prisma().sender.count({ where: { senderId: "+4917112340003", status: "approved" } })).toBe(2);
});

test("of accounts whose registrations of a number are approved at once, one gets it", async () => {
  env().SANDBOX = false;
  const made = await Promise.all([1, 2, 3, 4].map(() => makeAccount()));
  const senders = await Promise.all(made.map(({ actor }) => createSender(actor, { sender_id: "+4917112340002" })));
  await Promise.all(senders.map(({ id }) => autoApproveSender({ senderId: id })));
  expect(await prisma().sender.count({ where: { senderId: "+4917112340002", status: "approved" } })).toBe(1);
});

test("an approval is cached for at most a second, a refusal never", async () => {
  const { actor, accountId, senderId } = await makeAccount();
  vi.useFakeTimers({ toFake: ["performance"] });
  expect(await approvedSender(accountId, senderId)).toBe(senderId);
  await prisma().sender.updateMany({ where: { accountId, senderId }, data: { status: "suspended" } });
  vi.advanceTimersByTime(1_000);
  expect(await approvedSender(accountId, senderId)).toBeNull();
  await prisma().sender.updateMany({ where: { accountId, senderId }, data: { status: "approved" } });
  expect(await approvedSender(accountId, senderId)).toBe(senderId);
  await prisma().sender.updateMany({ where: { accountId, senderId }, data: { status: "suspended" } });
  invalidateApproval(accountId, senderId);
  expect(await approvedSender(accountId, senderId)).toBeNull();
  expect((await listSenders(actor, { ...page, status: "suspended" })).items).toHaveLength(1);
});

test("an approval that was read while its sender was deleted is not cached", async () => {
  const { actor, accountId, senderId } = await makeAccount();
  const [row] = await prisma().sender.findMany({ where: { accountId } });
  invalidateApproval(accountId, senderId);
  const query = pg.Client.prototype.query as unknown as (...args: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    if ((args[0] as { name?: string }).name !== "senders.approved") return query.apply(this, args);
    vi.restoreAllMocks();
    // The pool passes a callback as the last argument.
    const done = args.pop() as (...results: unknown[]) => void;
    return query.call(this, ...args, (...results: unknown[]) => {
      void deleteSender(actor, row?.id ?? "").then(() => done(...results));
    });
  } as never);
  expect(await approvedSender(accountId, senderId)).toBe(senderId);
  expect(await approvedSender(accountId, senderId)).toBeNull();
});

test("concurrent look-ups share statements, and each account gets its own approval", async () => {
  const accounts = await Promise.all(Array.from({ length: 40 }, () => makeAccount()));
  await prisma().sender.updateMany({ where: { accountId: accounts[7]?.accountId }, data: { status: "suspended" } });
  const query = vi.spyOn(pool(), "query");
  const found = await Promise.all(accounts.map(({ accountId, senderId }) => approvedSender(accountId, senderId)));
  expect(found).toEqual(accounts.map(({ senderId }, at) => (at === 7 ? null : senderId)));
  const [first, second] = accounts;
  expect(await approvedSender(first?.accountId ?? "", second?.senderId ?? "")).toBeNull();
  expect(query.mock.calls.length).toBeLessThanOrEqual(3);
  query.mockRestore();
});

test.each([
  ["14155550100", "+14155550100"],
  ["+14155550100", "14155550100"],
])("the sender %s may be written %s, until its approval ends", async (registered, written) => {
  const { actor, accountId } = await makeAccount();
  const { id } = await createSender(actor, { sender_id: registered });
  expect(await approvedSender(accountId, written)).toBeNull();
  await prisma().sender.update({ where: { id }, data: { status: "approved" } });
  expect(await approvedSender(accountId, written)).toBe(registered);
  expect(await approvedSender(accountId, registered)).toBe(registered);
  await prisma().sender.update({ where: { id }, data: { status: "suspended" } });
  invalidateApproval(accountId, registered);
  expect(await approvedSender(accountId, written)).toBeNull();
  expect(await approvedSender(accountId, registered)).toBeNull();
});

test("where both spellings are registered, the one that was written decides", async () => {
  const { accountId } = await makeAccount();
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status)
     VALUES ($1, $2, '+14155550100', 'long_code', 'approved'), ($3, $2, '14155550100', 'long_code', 'suspended')`,
    [newId("sender"), accountId, newId("sender")],
  );
  expect(await approvedSender(accountId, "+14155550100")).toBe("+14155550100");
  expect(await approvedSender(accountId, "14155550100")).toBeNull();
});

test("lists are newest first, paged, and can be filtered by status", async () => {
  const account = await makeAccount();
  for (const sender_id of ["First", "Second", "Third"]) await createSender(account.actor, { sender_id });
  const first = await listSenders(account.actor, { page: 1, limit: 2 });
  expect(first.items.map((sender) => sender.sender_id)).toEqual(["Third", "Second"]);
  expect(first.pagination).toEqual({ page: 1, limit: 2, total: 4, pages: 2, has_more: true });
  const pending = await listSenders(account.actor, { ...page, status: "pending" });
  expect(pending.pagination.total).toBe(3);
});

test("refuses another account's id", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  const { id } = await createSender(other.actor, { sender_id: "Acme" });
  await expect(getSender(mine.actor, id)).rejects.toMatchObject({ status: 404 });
  expect(await approvedSender(mine.accountId, other.senderId)).toBeNull();
  expect((await listSenders(mine.actor, page)).items.map((sender) => sender.sender_id)).toEqual([mine.senderId]);
});

test("an account has at most 100 senders, rejected ones aside, however many it registers at once", async () => {
  const { actor, accountId, senderId } = await makeAccount();
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status)
     SELECT 'snd_' || $1 || n, $1, 'S' || n, 'alphanumeric', CASE WHEN n <= 10 THEN 'rejected' ELSE 'pending' END
     FROM generate_series(1, 107) AS n`,
    [accountId],
  );
  const ends = await Promise.allSettled(
    ["A1", "A2", "A3", "A4", "A5"].map((sender_id) => createSender(actor, { sender_id })),
  );
  expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(2);
  for (const end of ends) {
    if (end.status === "rejected") expect(end.reason).toMatchObject({ wire: { details: { reason: "sender_limit" } } });
  }
  await expect(createSender(actor, { sender_id: senderId })).rejects.toMatchObject({
    wire: { details: { reason: "sender_exists" } },
  });
});

test("a deleted sender is gone at once, in the account that deleted it, and can be registered anew as pending", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  const [sender] = (await listSenders(mine.actor, page)).items;
  const id = sender?.id ?? "";
  expect(await approvedSender(mine.accountId, mine.senderId)).toBe(mine.senderId);
  await expect(deleteSender(other.actor, id)).rejects.toMatchObject({ status: 404 });
  expect(await deleteSender(mine.actor, id)).toEqual({ id, object: "sender", deleted: true });
  expect(await approvedSender(mine.accountId, mine.senderId)).toBeNull();
  await expect(deleteSender(mine.actor, id)).rejects.toMatchObject({ status: 404, wire: { param: "id" } });
  expect((await listSenders(mine.actor, page)).items).toEqual([]);
  expect((await createSender(mine.actor, { sender_id: mine.senderId })).status).toBe("pending");
});

test("an operator's decision about a sender cannot be shaken off by deleting it", async () => {
  for (const decision of ["status = 'rejected'", "status = 'suspended'", "max_segments_per_second = 1"]) {
    const { actor, accountId } = await makeAccount();
    await pool().query(`UPDATE senders SET ${decision} WHERE account_id = $1`, [accountId]);
    const [sender] = (await listSenders(actor, page)).items;
    await expect(deleteSender(actor, sender?.id ?? ""), decision).rejects.toMatchObject({
      status: 400,
      wire: { param: "id", details: { reason: "sender_not_deletable" } },
    });
    expect(await getSender(actor, sender?.id ?? "")).toEqual(sender);
  }
});

test("the names to choose from are all of the account that were not rejected, in their order", async () => {
  const { actor, accountId, senderId } = await makeAccount();
  const { actor: stranger } = await makeAccount();
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status)
     SELECT 'snd_' || $1 || n, $1, 'A' || lpad(n::text, 3, '0'), 'alphanumeric', CASE WHEN n > 110 THEN 'rejected' ELSE 'suspended' END
     FROM generate_series(1, 200) n`,
    [accountId],
  );
  const names = await listSenderNames(actor);
  expect(names).toEqual([...Array.from({ length: 110 }, (_, at) => `A${String(at + 1).padStart(3, "0")}`), senderId]);
  expect(await listSenderNames(stranger)).toHaveLength(1);
});
