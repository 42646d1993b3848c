import { expect, test, vi } from "vitest";
import { createPerson, PASSWORD } from "@/test/database/people";
import { signIn } from "../auth/service";
import { endSession, startSession } from "../auth/sessions/sessions";
import type { SessionActor } from "../core/actor";
import { DAY_MS } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { setAccountStatus } from "../operator/service";
import { createSender } from "../senders/service";
import { listAllAudit, listAudit } from "./service";
import { forgetAudit } from "./tasks";

const FROM = { address: "198.51.100.9", userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", deviceId: null };
const page = { page: 1, limit: 50 };

async function makeOwner(isOperator = false): Promise<SessionActor & { email: string }> {
  const person = await createPerson(isOperator);
  return { kind: "session", ...person, isOperator, sessionId: await startSession(person.userId, FROM) };
}

test("sign-ins are recorded, those that failed and the sign-out too", async () => {
  const owner = await makeOwner();
  await signIn({ email: owner.email, password: "wrong" }, FROM);
  await expect.poll(async () => (await listAudit(owner, page)).items.length).toBe(2);
  const session = await signIn({ email: owner.email, password: PASSWORD }, FROM);
  await endSession(session?.sessionId ?? "");
  await endSession(session?.sessionId ?? "");
  const { items } = await listAudit(owner, page);
  expect(items.map(({ action }) => action)).toEqual([
    "session.ended",
    "session.started",
    "sign_in.refused",
    "account.created",
  ]);
  expect(items[1]).toMatchObject({
    actor: { kind: "user", id: owner.userId, name: owner.email },
    subject_id: session?.sessionId,
    address: FROM.address,
    device: "Firefox on Linux",
  });
});

test("an account sees its own entries and no other's; of operators only that it was one", async () => {
  const [owner, other, operator] = [await makeOwner(), await makeOwner(), await makeOwner(true)];
  await createSender(owner, { sender_id: "Acme" });
  const acting = { ...operator, origin: { address: "203.0.113.5", userAgent: "curl" } };
  await setAccountStatus(acting, { account_id: owner.accountId, status: "suspended" });
  const [suspended, registered] = (await listAudit(owner, page)).items;
  expect(suspended).toMatchObject({
    action: "account.status_set",
    actor: { kind: "operator", id: null, name: null },
    address: null,
    device: null,
    before: { status: "active" },
    after: { status: "suspended" },
  });
  expect(registered).toMatchObject({ action: "sender.registered", after: { sender_id: "Acme" } });
  expect(JSON.stringify(await listAudit(other, page))).not.toContain(owner.accountId);
  expect((await listAllAudit(operator, { ...page, search: owner.accountId })).items[0]).toMatchObject({
    actor: { kind: "operator", id: operator.userId, name: operator.email },
    address: "203.0.113.5",
  });
  await expect(listAllAudit(owner, page)).rejects.toMatchObject({ status: 403 });
});

test("entries are found by action, by who acted and on what, page by page", async () => {
  const [owner, operator] = [await makeOwner(), await makeOwner(true)];
  for (const sender_id of ["A1", "A2", "A3"]) await createSender(owner, { sender_id });
  const first = await listAudit(owner, { page: 1, limit: 2, action: "sender.registered" });
  const second = await listAudit(owner, { page: 2, limit: 2, action: "sender.registered" });
  expect(first.pagination).toMatchObject({ total: 3, pages: 2, has_more: true });
  expect([...first.items, ...second.items].map(({ after }) => after?.sender_id)).toEqual(["A3", "A2", "A1"]);
  const subject = second.items[0]?.subject_id ?? "";
  for (const search of [owner.userId, subject]) {
    const found = await listAllAudit(operator, { ...page, search, action: "sender.registered" });
    expect(found.items.map(({ subject_id }) => subject_id)).toContain(subject);
  }
});

test("entries are forgotten once they are older than they are kept", async () => {
  const owner = await makeOwner();
  env().AUDIT_KEPT_DAYS = 10;
  await pool().query(
    `INSERT INTO audit_entries (id, account_id, actor_kind, action, created_at)
     SELECT 'old ' || n, $1, 'user', 'session.started', now() - make_interval(days => 9 + n % 2, hours => 1)
     FROM generate_series(1, 2500) n`,
    [owner.accountId],
  );
  const left = async () =>
    (await pool().query("SELECT count(*)::int AS n FROM audit_entries WHERE id LIKE 'old %'")).rows[0].n;
  // To a worker whose clock is right the database's is days ahead.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 2 * DAY_MS });
  await forgetAudit();
  vi.useRealTimers();
  expect(await left()).toBe(2_500);
  await forgetAudit();
  expect(await left()).toBe(1_250);
});
