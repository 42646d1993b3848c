import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { hashOf } from "@/test/database/passwords";
import { linksIn, type MailServer, startMailServer } from "@/test/network/mail-server";
import { createAccountWithOwner } from "../accounts/service";
import { resetPassword } from "../auth/credentials/change-password";
import { mailReset, requestReset } from "../auth/credentials/reset-by-mail";
import { findSignedIn, startSession } from "../auth/sessions/sessions";
import type { SessionActor } from "../core/actor";
import { pool, transaction } from "../core/db";
import { env } from "../core/env";
import { type ApiError, toApiError } from "../core/errors";
import { newId } from "../core/ids";
import { acceptInvitation, getInvitation } from "../members/accept-invitation";
import { invite, listInvitations } from "../members/invitations";
import { queueMail } from "./store";
import { forgetMails, sendMail } from "./tasks";

const PASSWORD = "correct horse battery staple";
const FROM = { address: "", userAgent: "" };
const LETTER = { subject: "Hello", paragraphs: ["A text."] };

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
  env().SMTP_URL = server.url;
  env().MAIL_FROM = "Messaging Service <no-reply@sms.example>";
});
afterEach(() => {
  env().SMTP_URL = server.url;
  server.refuseWith(null);
  server.received.length = 0;
});
afterAll(() => server.close());

const newAddress = () => `${newId("user")}@mail.example`;

async function makeOwner(): Promise<SessionActor & { email: string }> {
  const email = newAddress();
  const made = await createAccountWithOwner({
    email,
    passwordHash: await hashOf(PASSWORD),
    name: "Ann",
    companyName: "Acme",
  });
  return { kind: "session", ...made, isOperator: false, role: "owner", email };
}

type Row = { id: string; status: string; content_sealed: string | null; error: string | null };

async function mailsTo(address: string): Promise<Row[]> {
  const { rows } = await pool().query<Row>("SELECT * FROM mails WHERE address = $1 ORDER BY created_at", [address]);
  return rows;
}

/** Runs the jobs of all emails to an address. */
async function sendAllTo(address: string): Promise<void> {
  for (const { id } of await mailsTo(address)) await sendMail({ mailId: id });
}

type Kind = Parameters<typeof queueMail>[1]["kind"];

const write = (address: string, id?: string, validS = 600, kind: Kind = "alert") =>
  transaction((tx) => queueMail(tx, { id, address, kind, accountId: null, letter: LETTER, validS }));

test("an email has plain text and HTML, a sender, and an id that is the same however often it is sent", async () => {
  const address = newAddress();
  await write(address);
  const [{ id } = { id: "" }] = await mailsTo(address);
  await sendMail({ mailId: id });
  // The worker was killed before it noted that the email was sent.
  await pool().query(
    `UPDATE mails SET status = 'pending', content_sealed = (SELECT content_sealed FROM mails WHERE id = $2) WHERE id = $1`,
    [id, await writtenTo(newAddress())],
  );
  await sendMail({ mailId: id });
  const [first, second] = server.received;
  expect(first).toMatchObject({ from: "no-reply@sms.example", to: address });
  for (const part of ["Subject: Hello", "text/plain", "text/html", "A text.", "Auto-Submitted: auto-generated"])
    expect(first?.raw).toContain(part);
  const idOf = (raw = "") => /^Message-ID: (.+)$/im.exec(raw)?.[1];
  expect(idOf(first?.raw)).toBe(idOf(second?.raw));
});

async function writtenTo(address: string): Promise<string> {
  await write(address);
  return (await mailsTo(address))[0]?.id ?? "";
}

test("an email that was sent is not sent again, and its text is gone", async () => {
  const address = newAddress();
  await write(address);
  expect(JSON.stringify(await mailsTo(address))).not.toContain("A text.");
  await sendAllTo(address);
  await sendAllTo(address);
  expect(server.received).toHaveLength(1);
  expect(await mailsTo(address)).toMatchObject([{ status: "sent", content_sealed: null }]);
});

test("an email is tried again while the mail server is away or busy, and given up when it refuses or the time is over", async () => {
  const address = newAddress();
  await write(address);
  env().SMTP_URL = "smtp://127.0.0.1:9";
  await expect(sendAllTo(address)).rejects.toThrow();
  env().SMTP_URL = server.url;
  server.refuseWith(451);
  await expect(sendAllTo(address)).rejects.toThrow();
  expect(await mailsTo(address)).toMatchObject([{ status: "pending" }]);
  server.refuseWith(550);
  await sendAllTo(address);
  expect(await mailsTo(address)).toMatchObject([{ status: "refused", content_sealed: null }]);
  server.refuseWith(null);
  const late = newAddress();
  await write(late, undefined, 0);
  await sendAllTo(late);
  expect(await mailsTo(late)).toMatchObject([{ status: "late", content_sealed: null }]);
  expect(server.received).toEqual([]);
});

/** The jobs of all emails to an address; `mayRun`: it runs now, or will. */
async function jobsTo(address: string): Promise<{ mayRun: boolean }[]> {
  const { rows } = await pool().query<{ mayRun: boolean }>(
    `SELECT locked_at IS NOT NULL OR attempts < max_attempts AS "mayRun" FROM graphile_worker._private_jobs
     WHERE payload ->> 'mailId' IN (SELECT id FROM mails WHERE address = $1)`,
    [address],
  );
  return rows;
}

/** Changes the job of the email to an address. */
const changeJob = (address: string, change: string) =>
  pool().query(
    `UPDATE graphile_worker._private_jobs SET ${change}
     WHERE payload ->> 'mailId' IN (SELECT id FROM mails WHERE address = $1)`,
    [address],
  );

test("an email whose job was given up or lost has one again, while it is of use", async () => {
  const [givenUp, lost, running, sent] = [newAddress(), newAddress(), newAddress(), newAddress()];
  for (const address of [givenUp, lost, running, sent]) await write(address);
  await changeJob(givenUp, "attempts = max_attempts");
  await pool().query(
    "DELETE FROM graphile_worker._private_jobs WHERE payload ->> 'mailId' = (SELECT id FROM mails WHERE address = $1)",
    [lost],
  );
  await changeJob(running, "attempts = max_attempts, locked_at = now(), locked_by = 'a-worker'");
  await sendAllTo(sent);
  await changeJob(sent, "attempts = max_attempts");
  // The second time there is nothing left to do.
  for (const _ of [1, 2]) {
    await forgetMails();
    for (const address of [givenUp, lost, running]) expect(await jobsTo(address)).toEqual([{ mayRun: true }]);
    expect(await jobsTo(sent)).toEqual([]);
  }
});

test("an email that is of no use any more ends as late, with or without a job, and its text is gone", async () => {
  const [late, young] = [newAddress(), newAddress()];
  for (const address of [late, young]) await write(address);
  await changeJob(late, "attempts = max_attempts");
  await pool().query("UPDATE mails SET valid_until = now() - interval '1 hour' WHERE address = $1", [late]);
  await forgetMails();
  expect(await mailsTo(late)).toMatchObject([{ status: "late", content_sealed: null }]);
  expect(await jobsTo(late)).toEqual([]);
  expect(await mailsTo(young)).toMatchObject([{ status: "pending" }]);
});

test("an email exists exactly when the change does that causes it", async () => {
  const address = newAddress();
  const failing = transaction(async (tx) => {
    await queueMail(tx, { address, kind: "alert", accountId: null, letter: LETTER, validS: 600 });
    throw new Error("after all");
  });
  await expect(failing).rejects.toThrow("after all");
  expect(await mailsTo(address)).toEqual([]);
  const { rows } = await pool().query("SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'send_mail'");
  const before = rows.length;
  await write(address);
  const after = await pool().query("SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'send_mail'");
  expect(after.rows.length).toBe(before + 1);
});

test("one address gets ten emails of a kind an hour at most, however many are written at once", async () => {
  const address = newAddress();
  const written = await Promise.all(Array.from({ length: 25 }, () => write(address)));
  expect(written.filter(Boolean)).toHaveLength(10);
  expect(await mailsTo(address)).toHaveLength(10);
  expect(await write(newAddress())).toBe(true);
});

test.each([
  ["password_reset", "alert"],
  ["invitation", "alert"],
  ["alert", "password_reset"],
] as const)(
  "emails of one kind (%s), which strangers may cause, keep none of another (%s) away",
  async (many, other) => {
    const address = newAddress();
    for (let n = 0; n < 10; n += 1) await write(address, undefined, 600, many);
    expect(await write(address, undefined, 600, many)).toBe(false);
    expect(await write(address, undefined, 600, other)).toBe(true);
  },
);

test("an invitation comes by email, and its link is not in the answer; without a mail server it is", async () => {
  const owner = await makeOwner();
  const email = newAddress();
  expect((await invite(owner, { email, role: "developer" })).link).toBeNull();
  await sendAllTo(email);
  const [mail] = server.received;
  expect(mail?.raw).toContain("Subject: Join Acme");
  const [link] = mail ? linksIn(mail) : [];
  const token = new URL(link ?? "").searchParams.get("token") ?? "";
  await acceptInvitation({ token, name: "Bob", password: PASSWORD }, FROM);
  env().SMTP_URL = undefined;
  expect((await invite(owner, { email: newAddress(), role: "viewer" })).link).toContain("/invitation?token=");
});

/** The link of the last email to an address. */
async function lastLink(email: string): Promise<string> {
  server.received.length = 0;
  await sendAllTo(email);
  const [link] = server.received.flatMap((mail) => (mail.to === email ? linksIn(mail) : [])).slice(-1);
  return new URL(link ?? "").searchParams.get("token") ?? "";
}

test("past ten invitations in an hour an address gets no further one, nobody gets its link, and the tenth stays valid", async () => {
  const [owner, other] = [await makeOwner(), await makeOwner()];
  const email = newAddress();
  for (let n = 0; n < 10; n += 1) expect((await invite(owner, { email, role: "viewer" })).link).toBeNull();
  const token = await lastLink(email);
  for (const actor of [owner, other])
    await expect(invite(actor, { email, role: "developer" })).rejects.toMatchObject({
      status: 429,
      wire: { param: "email", details: { reason: "invitation_throttled", retry_after: expect.any(Number) } },
    });
  expect(await listInvitations(other)).toEqual([]);
  expect(await getInvitation({ token })).toMatchObject({ email, role: "viewer" });
  expect(await mailsTo(email)).toHaveLength(10);
});

test("an hour after the first of ten invitations the next one is sent", async () => {
  const owner = await makeOwner();
  const email = newAddress();
  for (let n = 0; n < 10; n += 1) await invite(owner, { email, role: "viewer" });
  await pool().query(
    "UPDATE mails SET created_at = created_at - interval '59 minutes' WHERE id = (SELECT min(id) FROM mails WHERE address = $1)",
    [email],
  );
  const refused = await invite(owner, { email, role: "viewer" }).catch((thrown: ApiError) => thrown.retryAfterS);
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(60);
  await pool().query("UPDATE mails SET created_at = created_at - interval '1 minute' WHERE address = $1", [email]);
  expect(await invite(owner, { email, role: "viewer" })).toMatchObject({ link: null });
});

test("whether an address may be invited depends on invitations alone, not on links for a password that only users get", async () => {
  const { email } = await makeOwner();
  for (let n = 0; n < 11; n += 1) await mailReset({ email, mailId: newId("mail") });
  expect(await mailsTo(email)).toHaveLength(10);
  expect(await invite(await makeOwner(), { email, role: "viewer" })).toMatchObject({ link: null });
});

/** The job that a request has added. */
async function lastRequest(): Promise<{ email: string; mailId: string }> {
  const { rows } = await pool().query<{ payload: { email: string; mailId: string } }>(
    `SELECT payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
     WHERE t.identifier = 'request_password_reset' ORDER BY j.id DESC LIMIT 1`,
  );
  if (!rows[0]) throw new Error("There is no such job.");
  return rows[0].payload;
}

test("a forgotten password is reset by email, once, also when the job runs twice", async () => {
  const { email, userId } = await makeOwner();
  const sessionId = await startSession(userId, FROM);
  expect(await requestReset({ email: email.toUpperCase() }, "198.51.100.20")).toEqual({ accepted: true });
  const job = await lastRequest();
  await mailReset(job);
  await mailReset(job);
  expect(await mailsTo(email)).toHaveLength(1);
  await sendAllTo(email);
  const [mail] = server.received;
  const [link] = mail ? linksIn(mail) : [];
  const token = new URL(link ?? "").searchParams.get("token") ?? "";
  await resetPassword({ token, password: "another battery staple altogether" });
  expect(await findSignedIn(sessionId, "")).toBeNull();
  await expect(resetPassword({ token, password: "another battery staple altogether" })).rejects.toThrow();
});

test("a request for an email that nobody has is answered alike, does the same, and sends nothing", async () => {
  const [known, unknown] = [(await makeOwner()).email, newAddress()];
  const jobs: unknown[] = [];
  for (const email of [known, unknown]) {
    expect(await requestReset({ email }, "198.51.100.21")).toEqual({ accepted: true });
    jobs.push({ ...(await lastRequest()), mailId: null });
  }
  expect(jobs).toEqual([
    { email: known, mailId: null },
    { email: unknown, mailId: null },
  ]);
  await mailReset({ email: unknown, mailId: newId("mail") });
  expect(await mailsTo(unknown)).toEqual([]);
});

const reasonOf = async (call: Promise<unknown>) =>
  call.then(
    () => null,
    (thrown) => toApiError(thrown).wire.details.reason,
  );

test("a network may ask for ten links at once; without a mail server the operator makes them", async () => {
  const answers = [];
  for (let n = 0; n < 11; n += 1) answers.push(await reasonOf(requestReset({ email: newAddress() }, "198.51.100.22")));
  expect(answers).toEqual([...Array(10).fill(null), "reset_throttled"]);
  env().SMTP_URL = undefined;
  expect(await reasonOf(requestReset({ email: newAddress() }, "198.51.100.23"))).toBe("reset_by_operator");
});
