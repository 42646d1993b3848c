/** Limits that the owners of an account set, beside the operator's, where messages are accepted and where they are due. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { claimAttempts, prepareAttempts } from "@/test/database/attempts";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { statementsOf } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { plainRequest } from "../../accounts/idempotency/request";
import { getAccount } from "../../accounts/service";
import { setCountries, setDailySpendCap } from "../../accounts/set-sending-limits";
import { lockAdmission } from "../../accounts/store";
import { ensureTestAccount } from "../../accounts/test-mode";
import type { SessionActor } from "../../core/actor";
import { HOUR_MS } from "../../core/clock";
import { pool } from "../../core/db";
import { isApiError } from "../../core/errors";
import { newId } from "../../core/ids";
import { getMessage } from "../read";
import { estimateSend } from "./estimate";
import { sendBulk, sendMessage } from "./send";

const [US, GB, DE, NOWHERE] = ["+14155550123", "+442071838750", "+4915112345678", "+88216045550101"] as const;
const OWNERS = /^The owners of this account .* Settings, Sending\.$/;
const OPERATORS = /^The operator .* Ask the operator/;

beforeAll(prepareAttempts);
beforeEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));

const ownerOf = ({ accountId }: TestAccount): SessionActor => ({
  ...{ kind: "session", accountId, userId: newId("user"), isOperator: false, role: "owner" },
});

const rule = (account: TestAccount, kind: "only" | "except", ...countries: string[]) =>
  setCountries(ownerOf(account), { countries: { rule: kind, countries } });
const cap = (account: TestAccount, daily_spend_cap: number | null) =>
  setDailySpendCap(ownerOf(account), { daily_spend_cap });
const operatorSets = (account: TestAccount, column: string, value: unknown) =>
  pool().query(`UPDATE accounts SET ${column} = $2 WHERE id = $1`, [account.accountId, value]);

const send = (account: TestAccount, to: string, more: { send_at?: string } = {}) =>
  sendMessage(account.actor, { to, from: account.senderId, body: "Hello", ...more }, plainRequest());
const bulk = (account: TestAccount, recipients: string[]) =>
  sendBulk(account.actor, { recipients, from: account.senderId, body: "Hello" }, plainRequest());
const estimate = (account: TestAccount, recipients: string[]) =>
  estimateSend(account.actor, { recipients, from: account.senderId, body: "Hello" });

const codes = (messages: { error: { code: string } | null }[]) => messages.map(({ error }) => error?.code ?? "goes");

/** The refusal of a send. */
async function refusalOf(sending: Promise<unknown>) {
  const thrown: unknown = await sending.then(
    () => null,
    (error) => error,
  );
  if (!isApiError(thrown)) throw thrown;
  return { status: thrown.status, ...thrown.wire };
}

describe("countries", () => {
  test("all but some: messages there fail alone, free of charge, and say who can change it", async () => {
    const account = await makeAccount();
    await rule(account, "except", "GB");
    const { messages } = await bulk(account, [US, GB, DE, NOWHERE]);
    expect(codes(messages)).toEqual(["goes", "country_not_allowed", "goes", "goes"]);
    expect(messages[1]).toMatchObject({ cost: 0, status: "failed", error: { message: expect.stringMatching(OWNERS) } });
    expect((await send(account, GB)).error).toEqual(messages[1]?.error);
  });

  test("only some, within the operator's: both must allow a message", async () => {
    const account = await makeAccount();
    await operatorSets(account, "allowed_countries", ["US", "DE"]);
    await rule(account, "only", "US", "GB");
    const { messages } = await bulk(account, [US, GB, DE, NOWHERE]);
    expect(codes(messages)).toEqual(["goes", ...Array<string>(3).fill("country_not_allowed")]);
    expect(messages[1]?.error?.message).toMatch(OPERATORS);
    expect(messages[2]?.error?.message).toMatch(OWNERS);
  });

  test("an estimate says the same as the send", async () => {
    const account = await makeAccount();
    await operatorSets(account, "allowed_countries", ["US", "DE"]);
    await rule(account, "except", "DE");
    const estimated = await estimate(account, [US, GB, DE]);
    const { messages } = await bulk(account, [US, GB, DE]);
    expect(codes(messages)).toEqual(["goes", "country_not_allowed", "country_not_allowed"]);
    expect(estimated.recipients.map(({ refusal }) => refusal)).toEqual(messages.map(({ error }) => error));
  });

  test("a rule that is committed while sends wait for their account applies to them", async () => {
    const account = await makeAccount();
    const change = await openTransaction(async (tx) => {
      await lockAdmission(tx, [account.accountId]);
      await tx.query("UPDATE accounts SET own_country_rule = 'only', own_countries = '{DE}' WHERE id = $1", [
        account.accountId,
      ]);
    });
    const sending = send(account, US);
    await untilWaiting();
    await change.commit();
    expect(codes([await sending])).toEqual(["country_not_allowed"]);
  });

  test("without a rule again, everything that the operator allows goes", async () => {
    const account = await makeAccount();
    await rule(account, "only", "DE");
    await setCountries(ownerOf(account), { countries: null });
    expect(codes([await send(account, US)])).toEqual(["goes"]);
  });
});

describe("the daily spending cap", () => {
  test("the lower one counts, and the refusal says whose it is", async () => {
    const account = await makeAccount();
    await operatorSets(account, "daily_spend_cap_micros", 30_000);
    await cap(account, 0.02);
    await bulk(account, [US, DE]);
    const owners = await refusalOf(send(account, US));
    expect(owners).toMatchObject({ status: 429, details: { reason: "daily_spend_cap", limit: 0.02, spent: 0.02 } });
    expect(owners.message).toMatch(/its owners have set.* Settings, Sending\.$/);
    expect((await estimate(account, [US])).refusals).toMatchObject([{ status: 429, message: owners.message }]);

    await cap(account, 0.5);
    expect(codes([await send(account, US)])).toEqual(["goes"]);
    const operators = await refusalOf(send(account, US));
    expect(operators).toMatchObject({ status: 429, details: { limit: 0.03, spent: 0.03 } });
    expect(operators.message).toMatch(/the operator has set\. Ask the operator/);
  });

  test("of 0 refuses everything that costs money, and none refuses nothing", async () => {
    const account = await makeAccount();
    await cap(account, 0);
    expect(await refusalOf(send(account, US))).toMatchObject({ status: 429, details: { limit: 0 } });
    expect(codes((await bulk(account, ["nobody"])).messages)).toEqual(["invalid_recipient"]);
    await cap(account, null);
    expect(codes([await send(account, US)])).toEqual(["goes"]);
  });

  test("50 concurrent sends under the owners' cap for 10: exactly 10 are accepted", async () => {
    const account = await makeAccount();
    await cap(account, 0.1);
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, at) => send(account, `+14155550${100 + at}`)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  });
});

describe("a scheduled message that becomes due", () => {
  /** The messages to the numbers, which are due after `change`. */
  async function dueAfter(numbers: readonly string[], change: (account: TestAccount) => Promise<unknown>) {
    const account = await makeAccount();
    const send_at = new Date(Date.now() + HOUR_MS).toISOString();
    const ids: string[] = [];
    for (const to of numbers) ids.push((await send(account, to, { send_at })).id);
    await change(account);
    await pool().query("UPDATE messages SET scheduled_at = now() - interval '1 second' WHERE id = ANY($1)", [ids]);
    for (const { slot } of await claimAttempts(ids)) slot?.release();
    return Promise.all(ids.map((id) => getMessage(account.actor, id)));
  }

  test("fails free of charge when its country was taken out since, and others go", async () => {
    const [there, elsewhere] = await dueAfter([GB, US], (account) => rule(account, "except", "GB"));
    expect(there).toMatchObject({
      ...{ status: "failed", cost: 0, attempts: 0 },
      error: { code: "country_not_allowed", message: expect.stringMatching(OWNERS) },
    });
    expect(elsewhere).toMatchObject({ error: null, cost: 0.01 });
  });

  test("fails free of charge when a cap of the owners would be passed", async () => {
    const [message] = await dueAfter([US], (account) => cap(account, 0.009));
    expect(message).toMatchObject({
      ...{ status: "failed", cost: 0 },
      error: { code: "daily_spend_cap", message: expect.stringMatching(/its owners have set.* Settings, Sending\.$/) },
    });
  });

  test("fails only as long as the cap is passed: of three that are due at once, two go under a cap for two", async () => {
    const messages = await dueAfter([US, US, US], (account) => cap(account, 0.02));
    expect(messages.map(({ status }) => status)).toEqual(["failed", "pending", "pending"]);
  });
});

test("own limits cost acceptance no statement but the one that reads what was spent", async () => {
  const account = await makeAccount();
  /** Before the lock, routes and providers are read now and then, whatever is accepted. */
  const accept = async () => {
    const names = (await statementsOf(() => send(account, US))).map(({ name }) => name);
    return names.slice(names.indexOf("accounts.lock_admission"));
  };
  await accept();
  const before = await accept();
  await rule(account, "except", "GB");
  expect(await accept()).toEqual(before);
  await cap(account, 1);
  const spent = "messages.spent";
  expect((await accept()).filter((name) => name !== spent)).toEqual(before);
  await operatorSets(account, "daily_spend_cap_micros", 1_000_000);
  expect((await accept()).filter((name) => name === spent)).toHaveLength(1);
});

test("test mode has limits of its own, and none of the live account", async () => {
  const account = await makeAccount();
  await rule(account, "only", "DE");
  await cap(account, 1);
  const accountId = await ensureTestAccount(account.accountId);
  const twin = { ...ownerOf(account), accountId };
  expect((await getAccount(twin)).sending_limits).toEqual({
    ...{ countries: null, daily_spend_cap: null },
    operator: { allowed_countries: [], daily_spend_cap: null },
  });
  const changed = await setCountries(twin, { countries: { rule: "except", countries: ["US", "GB", "US"] } });
  expect(changed.sending_limits.countries).toEqual({ rule: "except", countries: ["GB", "US"] });
  expect((await getAccount(ownerOf(account))).sending_limits).toMatchObject({
    ...{ countries: { rule: "only", countries: ["DE"] }, daily_spend_cap: 1 },
  });
});
