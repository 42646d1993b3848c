import type { Estimate } from "@/server/messages/accept/estimate-schema";
import type { BulkResult, Message } from "@/server/messages/schema";
import { limitAccount } from "../support/behind-the-api";
import { expect, test } from "../support/contract-test";
import { balanceOf } from "../support/follow";

const TO = "+15550100008";

const codesOf = ({ messages }: BulkResult) => messages.map(({ error }) => error?.code ?? "goes");

test("an account sends to its countries only; a message elsewhere fails alone and unbilled", async ({
  rest,
  account,
}) => {
  await limitAccount(account, { allowedCountries: ["US"] });
  const body = {
    recipients: ["+14155550123", "+442071838750", "+88216045550101"],
    from: account.sender,
    body: "Hello",
  };
  const estimate = await rest.post<Estimate>("/messages/estimate", body);
  const sent = await rest.post<BulkResult>("/messages/bulk", body);
  expect(codesOf(sent)).toEqual(["goes", "country_not_allowed", "country_not_allowed"]);
  expect(estimate.recipients.map(({ refusal }) => refusal)).toEqual(sent.messages.map(({ error }) => error));
  expect(estimate.cost).toBe(0.01);
  expect(await balanceOf(rest)).toBe(99.99);
});

test("messages beyond the limit to one number fail at once, unbilled, even if many are sent at the same time", async ({
  rest,
  account,
}) => {
  await limitAccount(account, { floodIdentical: 3, floodTotal: 5 });
  const send = (body: string, to = TO) => rest.post<Message>("/messages/send", { to, from: account.sender, body });
  const same = await Promise.all(Array.from({ length: 12 }, () => send("Your code")));
  expect(same.filter(({ status }) => status === "pending")).toHaveLength(3);
  const different = await Promise.all(Array.from({ length: 6 }, (_, at) => send(`Your code is ${at}`)));
  expect(different.filter(({ status }) => status === "pending")).toHaveLength(2);
  const estimate = await rest.post<Estimate>("/messages/estimate", { to: TO, from: account.sender, body: "Once more" });
  const refused = await send("Once more");
  expect(refused).toMatchObject({ status: "failed", cost: 0, error: { code: "flood_limit" } });
  expect(refused.error?.message).toMatch(/^At most 5 messages in all .* may go at 20\d\d-\S+Z\.$/);
  expect(estimate.recipients[0]?.refusal).toEqual(refused.error);
  expect(await send("Your code", "+15550100001")).toMatchObject({ status: "pending" });
  expect(await balanceOf(rest)).toBe(99.94);
});

test("a request that would exceed the account's daily spending cap is a 429, and nothing of it is sent", async ({
  rest,
  account,
}) => {
  await limitAccount(account, { dailySpendCap: 0.03 });
  const body = { recipients: [TO, TO], from: account.sender, body: "Hello" };
  await rest.post("/messages/bulk", body);
  const { details, ...refusal } = await rest.refusal(429, { method: "POST", path: "/messages/bulk", body });
  const sums = { limit: 0.03, spent: 0.02, requested: 0.02 };
  expect(details).toEqual({ reason: "daily_spend_cap", ...sums, retry_after: expect.any(Number) });
  const { refusals } = await rest.post<Estimate>("/messages/estimate", body);
  expect(refusals).toMatchObject([{ status: 429, reason: "daily_spend_cap", message: refusal.message }]);
  expect((await rest.page("/messages")).pagination.total).toBe(2);
  await rest.post("/messages/send", { to: TO, from: account.sender, body: "Hello" });
  expect(await balanceOf(rest)).toBe(99.97);
});

test("the sandbox's numbers have no limit unless the account was given one", async ({ rest, account }) => {
  const bulk = { recipients: Array<string>(50).fill(TO), from: account.sender, body: "Hello" };
  expect(await rest.post<BulkResult>("/messages/bulk", bulk)).toMatchObject({ sent: 50, failed: 0 });
});
