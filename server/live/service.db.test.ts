import { randomInt } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { moveClockAhead } from "@/test/clock";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { makeMessages, raiseEvents } from "@/test/database/webhooks";
import { endSession, isSessionOpen, startSession } from "../auth/sessions/sessions";
import { inTestMode, type SessionActor } from "../core/actor";
import { HOUR_MS } from "../core/clock";
import { onCommit, pool, transaction } from "../core/db";
import { newId } from "../core/ids";
import { noteChange, notifyChanges } from "../core/live";
import { takeInbound } from "../inbound/tasks";
import { removeMember } from "../members/service";
import { switchAccount } from "../members/sessions";
import { redactMessage } from "../messages/changes/redact";
import { createSuppression, deleteSuppression, importSuppressions } from "../suppressions/service";
import { pauseEndpoint, resumeEndpoint } from "../webhooks/pause";
import { createEndpoint } from "../webhooks/service";
import type { Changed } from "./schema";
import { watchChanges } from "./service";

const leavers: AbortController[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  for (const leaver of leavers.splice(0)) leaver.abort();
});

async function personOf({ accountId }: TestAccount): Promise<SessionActor> {
  const userId = newId("user");
  await pool().query(
    "INSERT INTO users (id, account_id, email, name, password_hash) VALUES ($1, $2, $3, 'Person', '')",
    [userId, accountId, `${userId}@live.example`],
  );
  const sessionId = await startSession(userId, { address: "", userAgent: "" });
  return { kind: "session", accountId, userId, isOperator: false, sessionId };
}

/** Follows an account. The first notice, that anything may have changed, has already been taken. */
async function follow(actor: SessionActor) {
  const leaver = new AbortController();
  leavers.push(leaver);
  const words = watchChanges(actor, leaver.signal);
  expect((await words.next()).value).toEqual({ topics: ["messages", "deliveries", "suppressions"] });
  return { words, leave: () => leaver.abort() };
}

/** The topics of the next notices, until all of `wanted` have come. */
async function notified(words: AsyncGenerator<Changed, void>, wanted: string): Promise<string[]> {
  const seen: string[] = [];
  while (!seen.includes(wanted)) {
    const { value } = await words.next();
    if (!value) throw new Error(`Nothing is followed any more, and no notice said ${wanted}.`);
    seen.push(...value.topics);
  }
  return seen;
}

test("changes in an account reach those who follow it", async () => {
  const account = await makeAccount();
  const { words } = await follow(await personOf(account));
  noteChange(account.accountId, "deliveries");
  await notifyChanges();
  expect(await notified(words, "deliveries")).toContain("deliveries");
});

test("a message whose text is deleted reaches those who follow the account", async () => {
  const account = await makeAccount();
  const [id = ""] = await makeMessages(account, 1, "delivered");
  const { words } = await follow(await personOf(account));
  await redactMessage(account.actor, id);
  await notifyChanges();
  expect(await notified(words, "messages")).toContain("messages");
});

test("a suppression that is made, deleted, imported, or asked for from a handset reaches those who follow the account", async () => {
  const account = await makeAccount();
  const actor = await personOf(account);
  const { words } = await follow(actor);
  // Listening begins with one notice that anything may have changed.
  noteChange(account.accountId, "deliveries");
  await notifyChanges();
  await notified(words, "deliveries");
  const { rows } = await pool().query<{ sender_id: string }>(
    "UPDATE senders SET sender_id = $2, approved_at = now() WHERE account_id = $1 RETURNING sender_id",
    [account.accountId, `1646${randomInt(1_000_000, 9_999_999)}`],
  );
  const text = (body: string) => ({
    providerMessageId: newId("inbound"),
    from: "+14155550123",
    to: `+${rows[0]?.sender_id}`,
    text: body,
    receivedAt: new Date().toISOString(),
  });
  let id = "";
  const changes: Array<() => Promise<unknown>> = [
    async () => {
      id = (await createSuppression(actor, { number: "+14155550124" })).id;
    },
    () => deleteSuppression(actor, id),
    () => importSuppressions(actor, { numbers: ["+14155550125"] }),
    () => takeInbound({ provider: "twilio", messages: [text("STOP")] }),
    () => takeInbound({ provider: "twilio", messages: [text("START")] }),
  ];
  for (const change of changes) {
    await change();
    await notifyChanges();
    expect(await notified(words, "suppressions")).not.toContain("deliveries");
  }
});

test("deliveries that wait for a paused endpoint, and those that are sent after it, reach those who follow the account", async () => {
  const account = await makeAccount();
  const { id } = await createEndpoint(account.actor, { url: "http://127.0.0.1:9/hook" });
  const { words } = await follow(await personOf(account));
  // Listening begins with one notice that anything may have changed.
  noteChange(account.accountId, "suppressions");
  await notifyChanges();
  await notified(words, "suppressions");
  await pauseEndpoint(account.actor, id);
  await raiseEvents(account, await makeMessages(account, 1));
  expect(await notified(words, "deliveries")).toContain("deliveries");
  await resumeEndpoint(account.actor, id);
  expect(await notified(words, "deliveries")).toContain("deliveries");
});

test("nobody is notified of another account", async () => {
  const [account, other] = [await makeAccount(), await makeAccount()];
  const [own, theirs] = [await follow(await personOf(account)), await follow(await personOf(other))];
  // Listening begins with one notice that anything may have changed.
  noteChange(account.accountId, "messages");
  noteChange(other.accountId, "deliveries");
  await notifyChanges();
  expect(await notified(own.words, "messages")).toBeDefined();
  expect(await notified(theirs.words, "deliveries")).toBeDefined();
  const next = theirs.words.next();
  noteChange(account.accountId, "messages");
  await notifyChanges();
  expect(await notified(own.words, "messages")).toBeDefined();
  theirs.leave();
  expect((await next).done).toBe(true);
});

test("a change is announced once it is committed, and never when it was rolled back", async () => {
  const noted: string[] = [];
  await transaction(async (tx) => {
    onCommit(tx, () => noted.push("committed"));
    await tx.query("SELECT 1");
    expect(noted).toEqual([]);
  });
  await transaction(async (tx) => {
    onCommit(tx, () => noted.push("rolled back"));
    throw new Error("no");
  }).catch(() => undefined);
  expect(noted).toEqual(["committed"]);
});

test("a lost connection is made again, and followers are notified that anything may have changed", async () => {
  const account = await makeAccount();
  const { words } = await follow(await personOf(account));
  noteChange(account.accountId, "deliveries");
  await notifyChanges();
  await notified(words, "deliveries");
  await pool().query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'messaging-live' AND datname = current_database()",
  );
  expect(await notified(words, "messages")).toContain("messages");
});

test("an account follows with so many pages at most, and a place is free again when one leaves", async () => {
  const actor = await personOf(await makeAccount());
  const followed = [];
  for (let count = 0; count < 20; count += 1) followed.push(await follow(actor));
  await expect(watchChanges(actor).next()).rejects.toMatchObject({ status: 429 });
  followed[0]?.leave();
  expect((await followed[0]?.words.next())?.done).not.toBe(false);
  await follow(actor);
});

test("a session follows an account, live or in test mode, for as long as its person is a member there", async () => {
  const [account, other] = [await makeAccount(), await makeAccount()];
  const [owner, actor] = [await personOf(account), await personOf(account)];
  const { accountId } = other;
  await pool().query(
    "INSERT INTO account_members (account_id, user_id, role) SELECT unnest($1::text[]), $2, 'viewer'",
    [[account.accountId, accountId], actor.userId],
  );
  // A session that acts in another account meanwhile stays open when its person is removed from this one.
  await switchAccount(actor, { account_id: accountId });
  const inTest = inTestMode(actor);
  expect([await isSessionOpen(actor), await isSessionOpen(inTest)]).toEqual([true, true]);
  await removeMember(owner, { id: actor.userId });
  expect([await isSessionOpen(actor), await isSessionOpen(inTest)]).toEqual([false, false]);
  expect(await isSessionOpen({ ...actor, accountId })).toBe(true);
});

test("a session that was ended, or is another person's, opens nothing; looking does not count as use", async () => {
  const [actor, other] = [await personOf(await makeAccount()), await personOf(await makeAccount())];
  const lastSeen = async () =>
    (await pool().query("SELECT last_seen_at FROM sessions WHERE id = $1", [actor.sessionId])).rows[0]?.last_seen_at;
  const before = await lastSeen();
  expect(await isSessionOpen(actor)).toBe(true);
  expect(await lastSeen()).toEqual(before);
  expect(await isSessionOpen({ ...other, sessionId: actor.sessionId })).toBe(false);
  await endSession(actor.sessionId ?? "");
  expect(await isSessionOpen(actor)).toBe(false);
});

test.each(["session", "membership"])(
  "a page stops following with an error once its person's %s has ended",
  async (what) => {
    const actor = await personOf(await makeAccount());
    const { words } = await follow(actor);
    if (what === "session") await endSession(actor.sessionId ?? "");
    else await pool().query("DELETE FROM account_members WHERE user_id = $1", [actor.userId]);
    moveClockAhead(HOUR_MS);
    await expect(words.next()).rejects.toMatchObject({ status: 401, wire: { details: { reason: "no_session" } } });
  },
);
