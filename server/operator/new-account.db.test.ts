/** Accounts that operators make for others, until somebody owns them. */
import { afterEach, beforeAll, expect, test } from "vitest";
import { untilWaiting } from "@/test/database/lock-waits";
import { lastEntries, makePerson, PASSWORD, type Person } from "@/test/database/people";
import { type MailServer, startMailServer } from "@/test/network/mail-server";
import { hashLinkToken } from "../auth/credentials/link-token";
import { signIn } from "../auth/service";
import { pool, transaction } from "../core/db";
import { env } from "../core/env";
import { toApiError } from "../core/errors";
import { newId } from "../core/ids";
import { acceptInvitation, getInvitation } from "../members/accept-invitation";
import { invite } from "../members/invitations";
import { getOperatedAccount } from "./account";
import { inviteOwner, makeAccount } from "./new-account";
import { listAccounts } from "./service";

const FROM = { address: "", userAgent: "" };
const DEVICE = { ...FROM, deviceId: null };

let operator: Person;
beforeAll(async () => {
  operator = await makePerson(true);
});
afterEach(() => {
  env().SMTP_URL = undefined;
});

const newEmail = () => `${newId("user")}@owners.example`;
const make = (email = newEmail()) => makeAccount(operator, { company_name: "Acme", email });
const tokenOf = ({ link }: { link: string | null }): string => new URL(link ?? "").searchParams.get("token") ?? "";
const reasonOf = async (call: Promise<unknown>): Promise<unknown> => {
  const thrown = await call.then(
    () => null,
    (refusal) => refusal,
  );
  const { wire } = toApiError(thrown);
  return wire.details.reason ?? wire.code;
};
const detail = (id: string) => getOperatedAccount(operator, { account_id: id });

test("the invited owner chooses name and password, and owns the account", async () => {
  const since = newId("audit");
  const { account, invitation } = await make();
  expect(account).toMatchObject({ company_name: "Acme", email: invitation.email, name: "", balance: 0 });
  expect(await detail(account.id)).toMatchObject({ members: [], owner_invitation: { email: invitation.email } });
  const listed = async () => (await listAccounts(operator, { search: account.id, page: 1, limit: 1 })).items[0];
  expect(await listed()).toMatchObject({ has_members: false });
  await acceptInvitation({ token: tokenOf(invitation), name: "Olga", password: PASSWORD }, FROM);
  expect(await detail(account.id)).toMatchObject({
    name: "Olga",
    members: [{ email: invitation.email, role: "owner", name: "Olga" }],
    owner_invitation: null,
  });
  expect(await listed()).toMatchObject({ has_members: true });
  expect(await signIn({ email: invitation.email, password: PASSWORD }, DEVICE)).toBeTruthy();
  const entries = (await lastEntries(since)).filter(({ account_id }) => account_id === account.id);
  expect(entries.map(({ action, actor_kind }) => [action, actor_kind])).toEqual([
    ["account.created", "operator"],
    ["member.invited", "operator"],
    ["member.joined", "user"],
    ["session.started", "user"],
  ]);
  expect(JSON.stringify(entries)).not.toContain(tokenOf(invitation));
});

test("somebody with a password here owns the account only by that password, and keeps their own account", async () => {
  const user = await makePerson();
  const { account, invitation } = await make(user.email.toUpperCase());
  const token = tokenOf(invitation);
  expect(await getInvitation({ token })).toMatchObject({ account_name: "Acme", role: "owner", has_password: true });
  const wrong = acceptInvitation({ token, name: "Mallory", password: "another long password" }, FROM);
  expect(await reasonOf(wrong)).toBe("invalid_request");
  expect((await detail(account.id)).members).toEqual([]);
  await acceptInvitation({ token, name: "", password: PASSWORD }, FROM);
  expect((await detail(account.id)).members).toMatchObject([{ id: user.userId, role: "owner" }]);
  expect((await detail(user.accountId)).members).toMatchObject([{ id: user.userId, role: "owner" }]);
});

test("the response is the same whether or not somebody has the email", async () => {
  const fieldsOf = (value: unknown) => JSON.stringify(value, (_, inner) => (typeof inner === "string" ? "…" : inner));
  const [known, unknown] = [await make((await makePerson()).email), await make()];
  expect(fieldsOf(known)).toBe(fieldsOf(unknown));
});

test("inviting again replaces the link, also by another email", async () => {
  const { account, invitation } = await make();
  const again = await inviteOwner(operator, { account_id: account.id, email: invitation.email });
  const email = newEmail();
  const corrected = await inviteOwner(operator, { account_id: account.id, email });
  for (const former of [invitation, again]) {
    expect(await reasonOf(getInvitation({ token: tokenOf(former) }))).toBe("invitation_over");
  }
  expect(await detail(account.id)).toMatchObject({ email, owner_invitation: { id: corrected.id, email } });
  await acceptInvitation({ token: tokenOf(corrected), name: "Olga", password: PASSWORD }, FROM);
  const late = inviteOwner(operator, { account_id: account.id, email: newEmail() });
  expect(await reasonOf(late)).toBe("account_has_members");
  expect((await detail(account.id)).email).toBe(email);
});

test("an invitation that an owner has made is left alone when an operator is refused", async () => {
  const owner = await makePerson();
  const made = await invite({ ...owner, role: "owner" }, { email: newEmail(), role: "viewer" });
  expect(await reasonOf(inviteOwner(operator, { account_id: owner.accountId, email: newEmail() }))).toBe(
    "account_has_members",
  );
  expect(await getInvitation({ token: tokenOf(made) })).toMatchObject({ role: "viewer" });
});

test("while somebody accepts, inviting again waits and is then refused", async () => {
  const { account, invitation } = await make();
  const user = await makePerson();
  const { again } = await transaction(async (tx) => {
    await tx.query("DELETE FROM invitations WHERE token_hash = $1", [hashLinkToken(tokenOf(invitation))]);
    await tx.query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'owner')", [
      account.id,
      user.userId,
    ]);
    const again = reasonOf(inviteOwner(operator, { account_id: account.id, email: newEmail() }));
    await untilWaiting("DELETE FROM invitations WHERE account_id");
    return { again };
  });
  expect(await again).toBe("account_has_members");
});

test("only operators who confirmed their password make accounts, and not for suspended or unknown ones", async () => {
  const person = await makePerson();
  const input = { company_name: "Acme", email: newEmail() };
  expect(await reasonOf(makeAccount(person, input))).toBe("not_an_operator");
  expect(await reasonOf(makeAccount({ ...operator, isConfirmed: false }, input))).toBe("confirmation_required");
  const { account } = await make();
  const at = { account_id: account.id, email: newEmail() };
  expect(await reasonOf(inviteOwner(person, at))).toBe("not_an_operator");
  expect(await reasonOf(inviteOwner({ ...operator, isConfirmed: false }, at))).toBe("confirmation_required");
  expect(await reasonOf(inviteOwner(operator, { ...at, account_id: newId("account") }))).toBe("not_found");
  await pool().query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [account.id]);
  expect(await reasonOf(inviteOwner(operator, at))).toBe("account_not_active");
});

test("an operator invites as many at once as an account may; then nothing is made", async () => {
  const busy = await makePerson(true);
  await pool().query("INSERT INTO sign_in_limits (subject, busy_until) VALUES ($1, now() + interval '1 hour')", [
    `invitations:${busy.userId}`,
  ]);
  const company = newId("user");
  expect(await reasonOf(makeAccount(busy, { company_name: company, email: newEmail() }))).toBe("invitation_throttled");
  expect((await pool().query("SELECT 1 FROM accounts WHERE company_name = $1", [company])).rowCount).toBe(0);
});

test("where emails are sent, the link reaches only the mailbox, ten times an hour", async () => {
  const mails: MailServer = await startMailServer();
  try {
    env().SMTP_URL = mails.url;
    const { account, invitation } = await make();
    expect(invitation.link).toBeNull();
    const again = () => inviteOwner(operator, { account_id: account.id, email: invitation.email });
    for (let sent = 1; sent < 10; sent += 1) expect((await again()).link).toBeNull();
    expect(await reasonOf(again())).toBe("invitation_throttled");
  } finally {
    await mails.close();
  }
});

test("a request that is repeated with its Idempotency-Key makes one account, and gives the same link", async () => {
  const key = { key: newId("user"), requestHash: "same" };
  const request = () => ({ idempotency: () => key, responseHeaders: {} });
  const input = { company_name: "Acme", email: newEmail() };
  const first = await makeAccount(operator, input, request());
  expect(await makeAccount(operator, input, request())).toEqual(first);
  const { rowCount } = await pool().query("SELECT 1 FROM accounts WHERE email = $1", [first.account.email]);
  expect(rowCount).toBe(1);
});
