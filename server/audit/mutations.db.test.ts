/** Every mutation of the router writes to the audit log, or is listed here with the reason why it does not. */
import { beforeAll, expect, test } from "vitest";
import { PROCEDURES, TEST_ORIGIN } from "@/test/call-procedure";
import { MUTATION_CASES, NEW_PASSWORD, PROVIDER_SECRET } from "@/test/database/mutation-cases";
import { lastEntries, makePerson, PASSWORD } from "@/test/database/people";
import { pool } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";

/** Mutations that write nothing to the log, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  "auth.requestReset": "anybody may ask, for any email; what is done with the link is recorded",
  "auth.secondFactor.begin": "makes a secret that counts for nothing until it is confirmed",
  "auth.passkeys.beginAdd": "makes a challenge that counts for nothing until it is signed",
  "auth.passkeys.beginProof": "as auth.passkeys.beginAdd",
  "auth.passkeys.beginSignIn": "as auth.passkeys.beginAdd; the sign-in itself is recorded",
  "auth.confirmPassword":
    "changes nothing but how long the session counts as confirmed; what it opens is recorded itself",
  "members.switchAccount":
    "changes nothing but the account that the session acts in; what is done there is recorded itself",
  "messages.send": "a message has a timeline of its own, and its money is in the ledger",
  "messages.bulk": "as messages.send",
  "messages.cancel": "as messages.send",
  "messages.reschedule": "as messages.send",
  "messages.estimate": "changes nothing",
  "operator.providers.test": "sends a test message and changes nothing of the provider",
  "webhooks.recover": "repeats deliveries, each of which is listed with its tries",
  "webhooks.resend": "as webhooks.recover, for chosen deliveries",
  "webhooks.test": "posts an event about an invented message and changes nothing",
};

const MUTATIONS = PROCEDURES.filter(({ type }) => type === "mutation").map(({ path }) => path);

beforeAll(() => {
  env().SIGN_UP_OPEN = true;
  env().WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"];
});

test("every mutation is done here or exempt, and nothing else is", () => {
  expect([...Object.keys(MUTATION_CASES), ...Object.keys(EXEMPT)].sort()).toEqual([...MUTATIONS].sort());
});

test.each(Object.entries(MUTATION_CASES))("%s", async (path, [action, run]) => {
  const [owner, operator] = [await makePerson(), await makePerson(true)];
  const since = newId("audit");
  await run(owner, operator);
  const entry = (await lastEntries(since)).at(-1);
  expect(entry?.action).toBe(action);
  expect(entry).toMatchObject({ address: TEST_ORIGIN.address, user_agent: TEST_ORIGIN.userAgent });
  const isOperators = path.startsWith("operator.");
  expect(entry?.actor_kind).toBe(isOperators ? "operator" : "user");
  const isByNewcomer = path === "auth.signUp" || path === "members.invitations.accept";
  if (!isByNewcomer) expect(entry?.actor_id).toBe(isOperators ? operator.userId : owner.userId);
  const isOfInstallation = /\.(providers|routes)\./.test(path);
  const isOfNewAccount = ["auth.signUp", "operator.createAccount", "operator.inviteOwner"].includes(path);
  if (!isOfNewAccount) expect(entry?.account_id).toBe(isOfInstallation ? null : owner.accountId);
});

test("no secret is in the log, whatever was done", async () => {
  const operator = await makePerson(true);
  const answers: unknown[] = [];
  for (const [path, [, run]] of Object.entries(MUTATION_CASES)) {
    if (!path.startsWith("auth.")) answers.push(await run(await makePerson(), operator));
  }
  const { rows } = await pool().query("SELECT * FROM audit_entries");
  const written = JSON.stringify(rows);
  const shown = JSON.stringify(answers);
  const secrets = [...shown.matchAll(/"(?:plain_key|signing_secret)":"([^"]+)"/g)].map(([, secret]) => secret ?? "");
  expect(secrets.length).toBeGreaterThan(1);
  for (const secret of [...secrets, PASSWORD, NEW_PASSWORD, PROVIDER_SECRET]) expect(written).not.toContain(secret);
  expect(written).not.toMatch(/\$argon2|"v1\.|whsec_/);
});
