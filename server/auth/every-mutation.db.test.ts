/** Every mutation of the router, when its caller loses the right to it after the request was admitted and before it changes anything. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { callAs as Call } from "@/test/call-procedure";
import { callAs, PROCEDURES } from "@/test/call-procedure";
import { MUTATION_CASES, type Run } from "@/test/database/mutation-cases";
import { makeEndpoint, makePerson } from "@/test/database/people";
import { makeKey } from "@/test/database/seed";
import { makeMessages } from "@/test/database/webhooks";
import { type AccountActor, type Actor, nameOf } from "../core/actor";
import { pool } from "../core/db";
import { env } from "../core/env";
import { toApiError } from "../core/errors";
import { newId } from "../core/ids";
import { revokeSessionsOf } from "./sessions/sessions";

type Admitted = (actor: AccountActor) => Promise<AccountActor>;

/** Done between the admission of a call of `path` and its work. */
const between = vi.hoisted(() => ({ path: "", admitted: null as Admitted | null }));

vi.mock("@/test/call-procedure", async (importOriginal) => {
  const real = await importOriginal<{ callAs: typeof Call }>();
  const call: typeof Call = async (actor, path, input) => {
    const { admitted } = between;
    const isThatCall = path === between.path && actor && admitted;
    return real.callAs(isThatCall ? await admitted(actor) : actor, path, input);
  };
  return { ...real, callAs: call };
});

/** Calls that change nothing, or nothing that counts before another call, and those of callers who are not signed in. */
const EXEMPT = new Set([
  "auth.confirmPassword",
  "auth.passkeys.beginAdd",
  "auth.passkeys.beginProof",
  "auth.passkeys.beginSignIn",
  "auth.requestReset",
  "auth.resetPassword",
  "auth.secondFactor.begin",
  "auth.signUp",
  "members.invitations.accept",
  "messages.estimate",
]);

const oneMessage = async (accountId: string, status: "delivered" | "pending") =>
  (await makeMessages({ accountId, senderId: "Acme" }, 1, status))[0];

/** Mutations that are not in the audit log. */
const OTHERS: Readonly<Record<string, Run>> = {
  "members.switchAccount": (owner) => callAs(owner, "members.switchAccount", { account_id: owner.accountId }),
  "messages.send": async (owner) => {
    await approvedSender(owner.accountId);
    return callAs(owner, "messages.send", { to: "+14155550123", from: "Acme", body: "Hello" });
  },
  "messages.bulk": async (owner) => {
    await approvedSender(owner.accountId);
    return callAs(owner, "messages.bulk", { recipients: ["nobody"], from: "Acme", body: "Hello" });
  },
  "messages.cancel": async (owner) =>
    callAs(owner, "messages.cancel", { id: await oneMessage(owner.accountId, "pending") }),
  "messages.reschedule": async (owner) =>
    callAs(owner, "messages.reschedule", { id: await oneMessage(owner.accountId, "pending"), send_at: null }),
  "operator.providers.test": (_, operator) =>
    callAs(operator, "operator.providers.test", { id: "sandbox", to: "+14155550123", from: "Acme", body: "Hello" }),
  "webhooks.recover": async (owner) =>
    callAs(owner, "webhooks.recover", { id: await makeEndpoint(owner), since: new Date().toISOString() }),
  "webhooks.resend": async (owner) =>
    callAs(owner, "webhooks.resend", { id: await makeEndpoint(owner), delivery_ids: [newId("delivery")] }),
  "webhooks.test": async (owner) => callAs(owner, "webhooks.test", { id: await makeEndpoint(owner) }),
};

async function approvedSender(accountId: string): Promise<void> {
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status, approved_at)
     VALUES ($1, $2, 'Acme', 'alphanumeric', 'approved', now())`,
    [newId("sender"), accountId],
  );
}

const RUNS = new Map<string, Run>([
  ...Object.entries(MUTATION_CASES).map(([path, [, run]]): [string, Run] => [path, run]),
  ...Object.entries(OTHERS),
]);
const PATHS = [...RUNS.keys()].filter((path) => !EXEMPT.has(path));

/** Calls about the person alone, for which their role does not matter. */
const isOwn = (path: string): boolean =>
  path.startsWith("auth.") || ["members.leave", "members.switchAccount"].includes(path);
const isOperators = (path: string): boolean => path.startsWith("operator.");
const ofMembers = PATHS.filter((path) => !isOwn(path) && !isOperators(path));
const ofKeys = PROCEDURES.filter(({ path, meta }) => PATHS.includes(path) && meta?.scope !== undefined).map(
  ({ path }) => path,
);

/** The refusal of the call of `path`; the reason and the number of entries that its caller has in the audit log since. */
async function outcomeOf(path: string, admitted: Admitted): Promise<unknown> {
  let caller: Actor | null = null;
  const since = newId("audit");
  const written = async () =>
    (
      await pool().query<{ n: number }>(
        "SELECT count(*)::int AS n FROM audit_entries WHERE id > $1 AND actor_id = $2",
        [since, caller && (caller.kind === "apiKey" ? caller.keyId : nameOf(caller))],
      )
    ).rows[0]?.n;
  let before: number | undefined;
  Object.assign(between, {
    path,
    admitted: async (actor: AccountActor) => {
      caller = await admitted(actor);
      before = await written();
      return caller;
    },
  });
  try {
    await RUNS.get(path)?.(await makePerson(), await makePerson(true));
    return "carried out";
  } catch (thrown) {
    const { status, wire } = toApiError(thrown);
    return [status, wire.details.reason ?? wire.code, Number(await written()) - Number(before)];
  } finally {
    between.admitted = null;
  }
}

const statement =
  (text: string, value: (actor: AccountActor) => unknown) =>
  async (actor: AccountActor): Promise<AccountActor> => {
    await pool().query(text, [value(actor)]);
    return actor;
  };
const userOf = (actor: AccountActor) => (actor.kind === "session" ? actor.userId : null);

beforeAll(() => {
  env().SIGN_UP_OPEN = true;
  env().SANDBOX = true;
  env().WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"];
});

test("every mutation is here", () => {
  const mutations = PROCEDURES.filter(({ type }) => type === "mutation").map(({ path }) => path);
  expect([...new Set([...PATHS, ...EXEMPT])].sort()).toEqual(mutations.sort());
});

describe("a person whose session has ended", () => {
  test.each(PATHS)("%s", async (path) => {
    const outcome = await outcomeOf(path, async (actor) => {
      await revokeSessionsOf(pool(), userOf(actor) ?? "");
      return actor;
    });
    expect(outcome).toEqual([401, "no_session", 0]);
  });
});

describe("a person whose role was lowered", () => {
  test.each(ofMembers)("%s", async (path) => {
    const outcome = await outcomeOf(
      path,
      statement("UPDATE account_members SET role = 'viewer' WHERE user_id = $1", userOf),
    );
    expect(outcome).toEqual([403, "role_too_low", 0]);
  });
});

describe("a person who was removed while their session acts in another account", () => {
  test.each(ofMembers.filter((path) => !path.startsWith("members.")))("%s", async (path) => {
    const outcome = await outcomeOf(path, statement("DELETE FROM account_members WHERE user_id = $1", userOf));
    expect(outcome).toEqual([401, "no_session", 0]);
  });
});

describe("a person who operates the installation no more", () => {
  test.each(PATHS.filter(isOperators))("%s", async (path) => {
    const outcome = await outcomeOf(path, statement("UPDATE users SET is_operator = false WHERE id = $1", userOf));
    expect(outcome).toEqual([403, "not_an_operator", 0]);
  });
});

describe("a key that", () => {
  const ending = (set: string) => async (actor: AccountActor) => {
    const key = await makeKey(actor.accountId);
    await pool().query(`UPDATE api_keys SET ${set} = now() WHERE id = $1`, [key.keyId]);
    return key;
  };

  test.each(ofKeys)("was revoked: %s", async (path) => {
    expect(await outcomeOf(path, ending("revoked_at"))).toEqual([401, "key_invalid", 0]);
  });

  test.each(ofKeys)("has expired: %s", async (path) => {
    expect(await outcomeOf(path, ending("expires_at"))).toEqual([401, "key_expired", 0]);
  });
});
