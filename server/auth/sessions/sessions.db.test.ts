import { expect, test } from "vitest";
import { hashOf } from "@/test/database/passwords";
import { createAccountWithOwner } from "../../accounts/service";
import { pool, prisma } from "../../core/db";
import { newId } from "../../core/ids";
import { getViewer } from "../service";
import { forgetSignIns } from "../tasks";
import { endSession, findSignedIn, listSessions, revokeOtherSessions, revokeSession, startSession } from "./sessions";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const ADDRESS = "198.51.100.1";

async function makePerson() {
  const email = `${newId("user")}@example.com`;
  const owner = { email, passwordHash: await hashOf("correct horse battery"), name: "Ann", companyName: "" };
  const made = await createAccountWithOwner(owner);
  return { email, ...made };
}

type Person = Awaited<ReturnType<typeof makePerson>>;

const open = ({ userId }: Person) => startSession(userId, { address: ADDRESS, userAgent: FIREFOX });
const through = ({ userId, accountId }: Person, sessionId: string) =>
  ({ kind: "session", userId, accountId, isOperator: false, sessionId }) as const;
const isOpen = async (sessionId: string) => (await findSignedIn(sessionId, ADDRESS)) !== null;

/** As if the session were so much older, and had not been used for so long. */
const age = (sessionId: string, { made, used }: { made: string; used: string }) =>
  pool().query(
    `UPDATE sessions SET created_at = now() - $2::interval, last_seen_at = now() - $3::interval,
       expires_at = least(now() - $2::interval + interval '30 days', now() - $3::interval + interval '7 days')
     WHERE id = $1`,
    [sessionId, made, used],
  );

test("a session is over with its sign-out, and only this one", async () => {
  const person = await makePerson();
  const [first, second] = [await open(person), await open(person)];
  expect(await findSignedIn(first, ADDRESS)).toMatchObject({ sessionId: first, userId: person.userId, name: "Ann" });
  await endSession(first);
  expect([await isOpen(first), await isOpen(second)]).toEqual([false, true]);
});

test("an id that is none opens nothing", async () => {
  expect(await isOpen("ses_none")).toBe(false);
});

test("a person who was removed or lost the operator's rights is so at once", async () => {
  const person = await makePerson();
  const { userId, accountId } = person;
  const session = await open(person);
  await prisma().user.update({ where: { id: userId }, data: { isOperator: true } });
  expect(await findSignedIn(session, ADDRESS)).toMatchObject({ userId, accountId, isOperator: true });
  await prisma().user.update({ where: { id: userId }, data: { isOperator: false } });
  expect(await findSignedIn(session, ADDRESS)).toMatchObject({ isOperator: false });
  await prisma().user.delete({ where: { id: userId } });
  expect(await isOpen(session)).toBe(false);
  await expect(getViewer(through(person, session))).rejects.toMatchObject({ status: 401 });
});

test("a session is over after 7 days without use, and after 30 days at most", async () => {
  const person = await makePerson();
  const [idle, used, old] = [await open(person), await open(person), await open(person)];
  await age(idle, { made: "7 days 1 minute", used: "7 days 1 minute" });
  await age(used, { made: "29 days", used: "6 days 23 hours" });
  await age(old, { made: "30 days 1 minute", used: "2 minutes" });
  expect([await isOpen(idle), await isOpen(used), await isOpen(old)]).toEqual([false, true, false]);
  const row = await prisma().session.findUniqueOrThrow({ where: { id: used } });
  expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(30 * 86_400_000);
});

test("its use is noted once a minute, with the address", async () => {
  const session = await open(await makePerson());
  const read = () => prisma().session.findUniqueOrThrow({ where: { id: session } });
  const before = await read();
  await findSignedIn(session, "203.0.113.9");
  expect(await read()).toEqual(before);
  await age(session, { made: "1 hour", used: "61 seconds" });
  const aged = await read();
  await findSignedIn(session, "203.0.113.9");
  const after = await read();
  expect(after).toMatchObject({ address: "203.0.113.9", device: "Firefox on Linux" });
  expect(after.lastSeenAt.getTime()).toBeGreaterThan(aged.lastSeenAt.getTime());
});

test("the list shows a person's open sessions and which one asks", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const [mine, over] = [await open(person), await open(person)];
  await open(other);
  await endSession(over);
  expect(await listSessions(through(person, mine))).toEqual([
    expect.objectContaining({ id: mine, device: "Firefox on Linux", address: ADDRESS, is_current: true }),
  ]);
});

test("people end their own sessions and nobody else's", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const [mine, lost, foreign] = [await open(person), await open(person), await open(other)];
  const actor = through(person, mine);
  await expect(revokeSession(actor, { id: foreign })).rejects.toMatchObject({ status: 404 });
  expect(await isOpen(foreign)).toBe(true);
  expect(await revokeSession(actor, { id: lost })).toEqual({ revoked: 1 });
  expect(await isOpen(lost)).toBe(false);
  await expect(revokeSession(actor, { id: lost })).rejects.toMatchObject({ status: 404 });
});

test("signing out everywhere else leaves the session that asks", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const [mine, foreign] = [await open(person), await open(other)];
  const rest = [await open(person), await open(person)];
  expect(await revokeOtherSessions(through(person, mine))).toEqual({ revoked: 2 });
  expect(await Promise.all([mine, foreign, ...rest].map(isOpen))).toEqual([true, true, false, false]);
});

test("sessions that are over are deleted, open ones stay", async () => {
  const person = await makePerson();
  const [live, idle] = [await open(person), await open(person)];
  await age(idle, { made: "8 days", used: "8 days" });
  await forgetSignIns();
  const rows = await prisma().session.findMany({ where: { userId: person.userId } });
  expect(rows.map(({ id }) => id)).toEqual([live]);
});
