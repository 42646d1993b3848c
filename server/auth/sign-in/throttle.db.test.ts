import { verify } from "@node-rs/argon2";
import { expect, test, vi } from "vitest";
import { hashOf } from "@/test/database/passwords";
import { createAccountWithOwner } from "../../accounts/service";
import { pool, prisma } from "../../core/db";
import { newId } from "../../core/ids";
import { signIn } from "../service";
import { forgetSignIns } from "../tasks";
import { type Attempt, countSignUp, giveBack, reserveAttempt } from "./throttle";

// The real one, watched.
vi.mock("@node-rs/argon2", async (importActual) => {
  const actual = await importActual<typeof import("@node-rs/argon2")>();
  return { ...actual, verify: vi.fn(actual.verify) };
});

const THROTTLED = { status: 429, wire: { details: { reason: "sign_in_throttled" } } };
const PASSWORD = "correct horse battery";

let addresses = 0;
/** One of 16,000 for benchmarks, none of which any other test uses. */
const newAddress = (): string => {
  addresses += 1;
  return `198.18.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
};
const newAttempt = (): Attempt & { email: string } => ({
  email: `${newId("user")}@example.com`,
  address: newAddress(),
  deviceId: null,
});
const from = (address: string, deviceId: string | null = null) => ({ address, userAgent: "", deviceId });

async function makeOwner(): Promise<string> {
  const { email } = newAttempt();
  await createAccountWithOwner({ email, passwordHash: await hashOf(PASSWORD), name: "Ann", companyName: "" });
  return email;
}

/** As if so many seconds had passed. */
const letTimePass = (seconds: number) =>
  pool().query("UPDATE sign_in_limits SET busy_until = busy_until - make_interval(secs => $1)", [seconds]);

/** Tries until it is refused. @returns how often it was not. */
async function attemptsLeft(attempt: Attempt, most = 300): Promise<number> {
  for (let made = 0; made < most; made += 1) {
    try {
      await reserveAttempt(attempt);
    } catch (thrown) {
      expect(thrown).toMatchObject(THROTTLED);
      return made;
    }
  }
  return most;
}

test("wrong passwords from one network lock out that network, and nobody else", async () => {
  const email = await makeOwner();
  const guesser = newAddress();
  for (let failure = 1; failure <= 5; failure += 1) {
    expect(await signIn({ email, password: "wrong" }, from(guesser))).toBeNull();
  }
  await expect(signIn({ email, password: PASSWORD }, from(guesser))).rejects.toMatchObject(THROTTLED);
  expect(await signIn({ email, password: PASSWORD }, from(newAddress()))).toMatchObject({ email });
});

test("five attempts of one email from one network at once, then one every three minutes", async () => {
  const attempt = newAttempt();
  expect(await attemptsLeft(attempt)).toBe(5);
  await letTimePass(179);
  await expect(reserveAttempt(attempt)).rejects.toMatchObject(THROTTLED);
  await letTimePass(2);
  expect(await attemptsLeft(attempt)).toBe(1);
  await letTimePass(3_600);
  expect(await attemptsLeft(attempt)).toBe(5);
});

test("the refusal says when to try again", async () => {
  const attempt = newAttempt();
  await attemptsLeft(attempt);
  const refused = await reserveAttempt(attempt).catch((thrown) => thrown);
  const { retry_after: waitS } = refused.wire.details;
  expect(refused.message).toBe(`Too many failed sign-ins. Try again in ${waitS} s.`);
  await letTimePass(waitS);
  await reserveAttempt(attempt);
});

test("an email that is guessed from everywhere is slowed, but not for a device that it is known on", async () => {
  const email = await makeOwner();
  for (let network = 0; network < 20; network += 1)
    await attemptsLeft({ email, address: newAddress(), deviceId: null });
  await expect(signIn({ email, password: PASSWORD }, from(newAddress()))).rejects.toMatchObject(THROTTLED);
  expect(await signIn({ email, password: PASSWORD }, from(newAddress(), "known"))).toMatchObject({ email });
  await letTimePass(37);
  expect(await signIn({ email, password: PASSWORD }, from(newAddress()))).toMatchObject({ email });
});

test("a refused attempt uses up no other limit", async () => {
  const [email, guesser] = [await makeOwner(), newAddress()];
  await attemptsLeft({ email, address: guesser, deviceId: null });
  for (let refused = 0; refused < 120; refused += 1) {
    await expect(reserveAttempt({ email, address: guesser, deviceId: null })).rejects.toMatchObject(THROTTLED);
  }
  expect(await signIn({ email, password: PASSWORD }, from(newAddress()))).toMatchObject({ email });
});

test("guesses from a known device are counted strictly, wherever it is", async () => {
  const { email } = newAttempt();
  for (let failure = 0; failure < 5; failure += 1) {
    await reserveAttempt({ email, address: newAddress(), deviceId: "stolen" });
  }
  await expect(reserveAttempt({ email, address: newAddress(), deviceId: "stolen" })).rejects.toMatchObject(THROTTLED);
});

test("a network that guesses at many emails is slowed", async () => {
  const { address } = newAttempt();
  const attempt = () => ({ ...newAttempt(), address });
  for (let guess = 0; guess < 100; guess += 1) await reserveAttempt(attempt());
  await expect(reserveAttempt(attempt())).rejects.toMatchObject(THROTTLED);
  await reserveAttempt(newAttempt());
});

test("of many guesses at the same time only five are looked at", async () => {
  const [email, guesser] = [await makeOwner(), newAddress()];
  vi.mocked(verify).mockClear();
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => signIn({ email, password: "wrong" }, from(guesser))),
  );
  expect(vi.mocked(verify).mock.calls).toHaveLength(5);
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(5);
  for (const result of results) if (result.status === "rejected") expect(result.reason).toMatchObject(THROTTLED);
});

test("the right password starts the strict limit anew and is not counted by the others", async () => {
  const [email, address] = [await makeOwner(), newAddress()];
  for (let round = 0; round < 3; round += 1) {
    for (let failure = 1; failure <= 4; failure += 1) await signIn({ email, password: "wrong" }, from(address));
    expect(await signIn({ email, password: PASSWORD }, from(address))).toMatchObject({ email });
  }
  const busyForS = async (subject: string) => {
    const { rows } = await pool().query(
      "SELECT extract(epoch FROM busy_until - now())::float8 AS s FROM sign_in_limits WHERE subject = $1",
      [subject],
    );
    return rows[0]?.s ?? 0;
  };
  for (const subject of [`email:${email}`, `network:${address}`]) {
    expect(Math.ceil((await busyForS(subject)) / 36)).toBe(12);
  }
});

test("people behind one address who all know their passwords do not block each other", async () => {
  const address = newAddress();
  const emails: string[] = [];
  for (let person = 0; person < 8; person += 1) emails.push(await makeOwner());
  const sessions = await Promise.all(emails.map((email) => signIn({ email, password: PASSWORD }, from(address))));
  expect(sessions.map((session) => session?.email)).toEqual(emails);
});

test("callers whose address is not known do not share a limit", async () => {
  for (let guess = 0; guess < 120; guess += 1) await reserveAttempt({ ...newAttempt(), address: "" });
  expect(await attemptsLeft({ ...newAttempt(), address: "" })).toBe(5);
});

test("an IPv6 address counts as its /64", async () => {
  const { email } = newAttempt();
  const attempt = (address: string) => ({ email, address, deviceId: null });
  for (let at = 1; at <= 5; at += 1) await reserveAttempt(attempt(`2001:db8:1:2::${at}`));
  await expect(reserveAttempt(attempt("2001:db8:1:2:ffff::1"))).rejects.toMatchObject(THROTTLED);
  await reserveAttempt(attempt("2001:db8:1:3::1"));
});

test("attempts of before the database's clock was set back lock nobody out until it has come there again", async () => {
  const attempt = newAttempt();
  await attemptsLeft(attempt);
  await pool().query("UPDATE sign_in_limits SET busy_until = busy_until + interval '26 hours' WHERE subject LIKE $1", [
    `%${attempt.email}%`,
  ]);
  expect(await attemptsLeft(attempt)).toBe(5);
});

test("limits that are not in use are forgotten", async () => {
  const [unused, used] = [newAttempt(), newAttempt()];
  await reserveAttempt(unused);
  await giveBack(unused);
  await letTimePass(3_600);
  await reserveAttempt(used);
  await forgetSignIns();
  const subjects = await prisma().signInLimit.findMany({ select: { subject: true } });
  expect(subjects.map(({ subject }) => subject).sort()).toEqual([
    `email:${used.email}`,
    `network:${used.address}`,
    `pair:${used.email} ${used.address}`,
  ]);
});

test("limits that were counted before the database's clock was set back keep nobody out", async () => {
  const attempt = newAttempt();
  for (let at = 1; at <= 5; at += 1) await reserveAttempt(attempt);
  await letTimePass(-24 * 3_600);
  await forgetSignIns();
  await reserveAttempt(attempt);
});

test("ten accounts at once from one network, then one every six minutes", async () => {
  const address = newAddress();
  const results = await Promise.allSettled(Array.from({ length: 15 }, () => countSignUp(address)));
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(10);
  await expect(countSignUp(address)).rejects.toMatchObject({
    status: 429,
    wire: { details: { reason: "sign_up_throttled" } },
  });
  await letTimePass(361);
  await countSignUp(address);
  await expect(countSignUp(address)).rejects.toMatchObject({ status: 429 });
});
