/** Tries every procedure of the router as every kind of caller. The roles are declared in test/roles. */
import { expect, test } from "vitest";
import { PROCEDURES as ALL, callAs } from "@/test/call-procedure";
import { hashOf } from "@/test/database/passwords";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { LEAST_ROLES, ROLES, scopesOf } from "@/test/roles";
import { plainRequest } from "../accounts/idempotency/request";
import { createAccountWithOwner } from "../accounts/service";
import { SCOPES, type Scope } from "../api-keys/scopes";
import { createApiKey } from "../api-keys/service";
import { startSession } from "../auth/sessions/sessions";
import { type AccountActor, isAtLeast, MEMBER_ROLES, type SessionActor } from "../core/actor";
import { pool } from "../core/db";
import { toApiError } from "../core/errors";
import { newId } from "../core/ids";
import { invite } from "../members/invitations";
import { sendMessage } from "../messages/accept/send";
import { SendMessageInput } from "../messages/schema";
import { CreateSuppressionInput } from "../suppressions/schema";
import { createSuppression } from "../suppressions/service";
import { newSigningSecret } from "../webhooks/delivery/signature";
import { sealSecret } from "../webhooks/secrets";
import { serveRest } from "./rest";

const PROCEDURES = ALL.map((procedure) => ({ ...procedure, role: ROLES[procedure.path] }));

type Outcome = { status: number; reason?: unknown; text: string };

async function ask(actor: AccountActor | null, path: string, input: unknown): Promise<Outcome> {
  try {
    return { status: 200, text: JSON.stringify(await callAs(actor, path, input)) ?? "" };
  } catch (thrown) {
    const { status, wire } = toApiError(thrown);
    return { status, reason: wire.details.reason, text: wire.message };
  }
}

async function askWithKey(key: string, { method, path }: { method: string; path: string }): Promise<Outcome> {
  const { response: answer } = await serveRest({
    method,
    path: path.replace("{id}", "nothing"),
    query: "",
    header: (name) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })[name],
    peer: "127.0.0.1",
    readBody: async () => Buffer.from("{}"),
  });
  return { status: answer.status, reason: JSON.parse(answer.body).error?.details.reason, text: answer.body };
}

/** Somebody who can sign in. */
async function makeOwner(): Promise<SessionActor> {
  const { accountId, userId } = await createAccountWithOwner({
    email: `${newId("user")}@roles.example`,
    passwordHash: await hashOf("correct horse battery staple"),
    name: "Ann",
    companyName: "",
  });
  return { kind: "session", accountId, userId, isOperator: false };
}

/** One object of each kind that an account can have, by the router that takes its id. */
async function makePossessions(account: TestAccount): Promise<Record<string, string>> {
  await makeRoute();
  const { userId } = await makeOwner();
  await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'owner')", [
    account.accountId,
    userId,
  ]);
  const theirs: SessionActor = { kind: "session", accountId: account.accountId, userId, isOperator: false };
  const send = SendMessageInput.parse({ to: "+14155550123", from: account.senderId, body: "Hello" });
  const message = await sendMessage(account.actor, send, plainRequest());
  const suppression = await createSuppression(account.actor, CreateSuppressionInput.parse({ number: "+14155550199" }));
  const endpointId = newId("endpoint");
  await pool().query(
    `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed) VALUES ($1, $2, 'https://example.com', '{}', $3)`,
    [endpointId, account.accountId, sealSecret(newSigningSecret())],
  );
  const { rows } = await pool().query<{ id: string }>("SELECT id FROM senders WHERE account_id = $1", [
    account.accountId,
  ]);
  const inboundId = newId("inbound");
  await pool().query(
    `INSERT INTO inbound_messages (id, provider, provider_message_id, account_id, from_number, to_number, body, received_at)
     VALUES ($1, 'sandbox', $1, $2, '+14155550123', '+14155550124', 'Hello', now())`,
    [inboundId, account.accountId],
  );
  const requestId = newId("request");
  await pool().query(
    `INSERT INTO request_log (slot, id, account_id, key_id, method, path, query, status, latency_ms, created_at)
     VALUES (0, $1, $2, $3, 'GET', '/account', '', 200, 1, now())`,
    [requestId, account.accountId, account.keyId],
  );
  const passkeyId = newId("passkey");
  await pool().query(
    `INSERT INTO passkeys (id, user_id, credential_id, public_key, rp_id, name, is_synced)
     VALUES ($1, $2, $1, '', 'localhost', 'Phone', false)`,
    [passkeyId, userId],
  );
  return {
    apiKeys: account.keyId,
    inbound: inboundId,
    requestLog: requestId,
    "auth.passkeys": passkeyId,
    "auth.sessions": await startSession(userId, { address: "", userAgent: "" }),
    members: userId,
    "members.invitations": (await invite(theirs, { email: `${newId("user")}@roles.example`, role: "viewer" })).id,
    messages: message.id,
    overview: account.keyId,
    senders: rows[0]?.id ?? "",
    suppressions: suppression.id,
    webhooks: endpointId,
  };
}

/** The rows of an account as text, which shows every change to them. */
async function stateOf({ accountId }: TestAccount): Promise<string> {
  const tables = ["api_keys", "senders", "webhook_endpoints", "suppressions", "messages", "invitations"];
  const rows = await Promise.all(
    tables.map((table) => pool().query(`SELECT * FROM ${table} WHERE account_id = $1 ORDER BY id`, [accountId])),
  );
  return JSON.stringify(
    rows.map((result) => result.rows),
    (_, value) => (typeof value === "bigint" ? `${value}` : value),
  );
}

test("without signing in, only public procedures can be called", async () => {
  for (const { path, role } of PROCEDURES) {
    const { status, reason } = await ask(null, path, {});
    if (role === "anyone") expect([401, 403], path).not.toContain(reason === "sign_up_closed" ? 400 : status);
    else expect([status, reason], path).toEqual([401, "no_session"]);
  }
});

test("a person may use their own procedures, and none of an operator's", async () => {
  const person = await makeOwner();
  for (const { path, role } of PROCEDURES.filter((procedure) => procedure.role !== "anyone")) {
    const { status, reason, text } = await ask(person, path, { id: "nothing" });
    if (role === "operator") expect([status, reason], path).toEqual([403, "not_an_operator"]);
    else expect([401, 403], `${path}: ${text}`).not.toContain(status);
  }
});

test.each(MEMBER_ROLES)("a member with the role %s may do what that role allows, and nothing more", async (role) => {
  const owner = await makeOwner();
  for (const [path, least] of Object.entries(LEAST_ROLES)) {
    const { status, reason, text } = await ask({ ...owner, role }, path, { id: "nothing" });
    if (isAtLeast(role, least)) expect([401, 403], `${path}: ${text}`).not.toContain(status);
    else expect([status, reason], path).toEqual([403, "role_too_low"]);
  }
});

test("in an account, an operator of the installation may do only what their role there allows", async () => {
  const operator = personOf(await makeAccount(), true);
  for (const [path, least] of Object.entries(LEAST_ROLES)) {
    if (least === "viewer") continue;
    const { status, reason } = await ask({ ...operator, role: "viewer" }, path, { id: "nothing" });
    expect([status, reason], path).toEqual([403, "role_too_low"]);
  }
});

test("an operator may use the procedures of persons and those of operators", async () => {
  const operator = personOf(await makeAccount(), true);
  for (const { path } of PROCEDURES.filter(({ role }) => role === "operator")) {
    const { status, text } = await ask(operator, path, {});
    expect([401, 403], `${path}: ${text}`).not.toContain(status);
  }
});

/** Further requirements of procedures with an id. */
const WITH_ANY_ID = {
  ...{ since: new Date().toISOString(), send_at: null, delivery_ids: ["dlv_none"], role: "viewer" },
  ...{ name: "Mine", password: "wrong" },
};

test("nothing of an account is visible to others, not even to operators of the installation", async () => {
  const victim = await makeAccount();
  const possessions = await makePossessions(victim);
  const before = await stateOf(victim);
  const others = [personOf(await makeAccount()), personOf(await makeAccount(), true), (await makeAccount()).actor];
  for (const { path, type, takesId, role } of PROCEDURES) {
    if (role === "anyone" || role === "operator") continue;
    const id = possessions[path.slice(0, path.lastIndexOf("."))];
    if (takesId) expect(id, `${path} takes an id: say of what`).toBeDefined();
    for (const other of others) {
      if (other.kind === "apiKey" && role === "person") continue;
      const { status, text } = await ask(other, path, takesId ? { ...WITH_ANY_ID, id } : {});
      if (takesId) expect(status, `${path} as ${other.kind}: ${text}`).toBe(404);
      if (type !== "query") continue;
      for (const theirs of [victim.accountId, ...Object.values(possessions)]) expect(text, path).not.toContain(theirs);
    }
  }
  expect(await stateOf(victim)).toBe(before);
  const { rows } = await pool().query("SELECT revoked_at FROM sessions WHERE id = $1", [possessions["auth.sessions"]]);
  expect(rows).toEqual([{ revoked_at: null }]);
});

test("a key may do only what its scopes name, and nothing that is for persons or operators", async () => {
  const account = await makeAccount();
  const owner = personOf(account);
  const keyWith = async (permissions: Scope[]) =>
    (await createApiKey(owner, { name: permissions.join(" "), permissions, rate_limit: 6_000 })).plain_key;
  for (const { path, meta, role } of PROCEDURES) {
    if (meta?.openapi === undefined) {
      if (role === "anyone") continue;
      expect(await ask(account.actor, path, {}), path).toMatchObject({ status: 403, reason: "session_required" });
      continue;
    }
    expect(typeof role, path).toBe("object");
    const scopes = scopesOf(role);
    const without = await keyWith(SCOPES.filter((scope) => !scopes?.includes(scope)));
    const refused = await askWithKey(without, meta.openapi);
    if (scopes === null) {
      expect([401, 403], path).not.toContain(refused.status);
      continue;
    }
    expect(refused, path).toMatchObject({ status: 403, reason: "missing_scope" });
    for (const scope of scopes) {
      const { status, reason } = await askWithKey(await keyWith([scope]), meta.openapi);
      // `estimate` requires the scope of the send once it knows which send it is.
      expect(reason, `${path} with ${scope}`).not.toBe("missing_scope");
      expect(status, `${path} with ${scope}`).not.toBe(401);
    }
  }
});
