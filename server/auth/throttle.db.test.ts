import { expect, test } from "vitest";
import { createAccountWithOwner } from "../accounts/service";
import { pool, prisma } from "../core/db";
import { newId } from "../core/ids";
import { signIn } from "./service";
import { countSignUp, refuseThrottled, settleFailure, settleSuccess } from "./throttle";

const THROTTLED = { status: 429, wire: { details: { reason: "sign_in_throttled" } } };

let addresses = 0;
const newAddress = (): string => {
  addresses += 1;
  return `203.0.113.${addresses}`;
};
const from = (address: string) => ({ address, userAgent: "" });
const newAttempt = () => ({ email: `${newId("user")}@example.com`, address: newAddress() });

const rowOf = (subject: string) => prisma().signInThrottle.findUnique({ where: { subject } });

/** As if the block had run out a moment ago. */
const letTimePass = (subjects: string[]) =>
  pool().query("UPDATE sign_in_throttles SET blocked_until = now() - interval '1 second' WHERE subject = ANY($1)", [
    subjects,
  ]);

/** For how long the last failure blocked the subject. */
const secondsBlocked = async (subject: string) => {
  const row = await rowOf(subject);
  return row?.blockedUntil ? (row.blockedUntil.getTime() - row.updatedAt.getTime()) / 1_000 : 0;
};

test("five failures block an e-mail from everywhere, and an address for every e-mail", async () => {
  const attempt = newAttempt();
  for (let failure = 1; failure <= 5; failure += 1) {
    await refuseThrottled(attempt);
    await settleFailure(attempt);
  }
  await expect(refuseThrottled(attempt)).rejects.toMatchObject(THROTTLED);
  await expect(refuseThrottled({ ...attempt, address: newAddress() })).rejects.toMatchObject(THROTTLED);
  await expect(refuseThrottled({ ...newAttempt(), address: attempt.address })).rejects.toMatchObject(THROTTLED);
  await refuseThrottled(newAttempt());
});

test("the block doubles from 30 s up to 15 min", async () => {
  const attempt = { ...newAttempt(), address: "" };
  const subject = `email:${attempt.email}`;
  const waits: number[] = [];
  for (let failure = 1; failure <= 12; failure += 1) {
    await settleFailure(attempt);
    waits.push(await secondsBlocked(subject));
    await letTimePass([subject]);
  }
  expect(waits).toEqual([0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900]);
});

test("the right password is refused while blocked, and starts the e-mail anew afterwards", async () => {
  const { email, address } = newAttempt();
  const password = "correct horse battery";
  await createAccountWithOwner({ email, password, name: "Ann", companyName: "" });
  for (let failure = 1; failure <= 5; failure += 1) {
    expect(await signIn({ email, password: "wrong" }, from(address))).toBeNull();
  }
  await expect(signIn({ email, password }, from(address))).rejects.toMatchObject(THROTTLED);
  await letTimePass([`email:${email}`, `address:${address}`]);
  expect(await signIn({ email, password }, from(address))).toMatchObject({ email });
  expect(await rowOf(`email:${email}`)).toBeNull();
  expect((await rowOf(`address:${address}`))?.failures).toBe(0);
  for (let failure = 1; failure <= 4; failure += 1) await signIn({ email, password: "wrong" }, from(address));
  expect(await signIn({ email, password }, from(address))).toMatchObject({ email });
});

test("signing in to one's own account does not wipe out failures against others", async () => {
  const own = newAttempt();
  for (let failure = 1; failure <= 3; failure += 1) await settleFailure({ ...newAttempt(), address: own.address });
  await settleFailure(own);
  await settleSuccess(own);
  expect((await rowOf(`address:${own.address}`))?.failures).toBe(3);
});

test("of many guesses at the same time only five learn that they were wrong", async () => {
  const { email } = newAttempt();
  await createAccountWithOwner({ email, password: "correct horse battery", name: "Ann", companyName: "" });
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => signIn({ email, password: "wrong" }, from(newAddress()))),
  );
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(5);
  for (const result of results) {
    if (result.status === "rejected") expect(result.reason).toMatchObject(THROTTLED);
  }
  expect((await rowOf(`email:${email}`))?.failures).toBe(5);
});

test("the right password among them tells nothing once the block stands", async () => {
  const attempt = newAttempt();
  await refuseThrottled(attempt);
  for (let failure = 1; failure <= 5; failure += 1) await settleFailure({ ...attempt, address: newAddress() });
  await expect(settleSuccess(attempt)).rejects.toMatchObject(THROTTLED);
  await expect(settleFailure(attempt)).rejects.toMatchObject(THROTTLED);
});

test("people behind one address who all know their passwords do not block each other", async () => {
  const address = newAddress();
  const password = "correct horse battery";
  const emails = Array.from({ length: 8 }, () => `${newId("user")}@example.com`);
  for (const email of emails) await createAccountWithOwner({ email, password, name: "Ann", companyName: "" });
  const sessions = await Promise.all(emails.map((email) => signIn({ email, password }, from(address))));
  expect(sessions.map((session) => session?.email)).toEqual(emails);
});

test("an hour without a failure starts a subject anew, and stale rows are cleared away", async () => {
  const [attempt, stale] = [newAttempt(), newAttempt()];
  const age = "UPDATE sign_in_throttles SET updated_at = now() - interval '61 minutes' WHERE subject = ANY($1)";
  for (let failure = 1; failure <= 4; failure += 1) await settleFailure(attempt);
  await settleFailure(stale);
  await pool().query(age, [[`email:${attempt.email}`, `address:${attempt.address}`, `email:${stale.email}`]]);
  await settleFailure(attempt);
  expect(await rowOf(`email:${attempt.email}`)).toMatchObject({ failures: 1, blockedUntil: null });
  expect(await rowOf(`email:${stale.email}`)).toBeNull();
});

test("an IPv6 address counts as its /64", async () => {
  for (let at = 1; at <= 5; at += 1) await settleFailure({ ...newAttempt(), address: `2001:db8:1:2::${at}` });
  await expect(refuseThrottled({ ...newAttempt(), address: "2001:db8:1:2:ffff::1" })).rejects.toMatchObject(THROTTLED);
  await refuseThrottled({ ...newAttempt(), address: "2001:db8:1:3::1" });
});

test("ten accounts an hour from one address, also when asked for at once", async () => {
  const address = newAddress();
  const results = await Promise.allSettled(Array.from({ length: 15 }, () => countSignUp(address)));
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(10);
  await expect(countSignUp(address)).rejects.toMatchObject({
    status: 429,
    wire: { details: { reason: "sign_up_throttled" } },
  });
  await pool().query("UPDATE sign_in_throttles SET updated_at = now() - interval '61 minutes' WHERE subject = $1", [
    `sign-up:${address}`,
  ]);
  await countSignUp(address);
  expect((await rowOf(`sign-up:${address}`))?.failures).toBe(1);
});
