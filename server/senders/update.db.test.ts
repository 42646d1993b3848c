import { beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { claimAttempts, prepareAttempts } from "@/test/database/attempts";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { plainRequest } from "../accounts/idempotency/request";
import { createSender, getSender, listSenders } from "./service";
import { updateSender } from "./update";

const IDS = {
  dlt_entity_id: "1201159178492032504",
  dlt_template_id: "1107169175728319365",
  dlt_template_category: "service_implicit",
} as const;
const MISSING = { wire: { param: "dlt_entity_id", details: { reason: "dlt_entity_missing" } } };

beforeAll(async () => {
  await prepareAttempts();
  await makeRoute({ prefix: "91", priceMicros: 10_000 });
});

const ownSender = async ({ actor }: TestAccount) =>
  (await listSenders(actor, { page: 1, limit: 10 })).items[0]?.id ?? "";

test("a sender keeps the ids that it is registered with, and a change leaves what is not given", async () => {
  const { actor } = await makeAccount();
  const { id, ...made } = await createSender(actor, { sender_id: "ACME", country_code: "IN", ...IDS });
  expect(made).toMatchObject(IDS);
  expect(await updateSender(actor, { id, dlt_template_id: "42" })).toMatchObject({ ...IDS, dlt_template_id: "42" });
  const none = { dlt_entity_id: null, dlt_template_id: null, dlt_template_category: null };
  expect(await updateSender(actor, { id, ...none })).toMatchObject(none);
  expect(await getSender(actor, id)).toMatchObject({ ...none, status: "pending" });
});

test("a template without its entity is refused, and another account's sender is not found", async () => {
  const [{ actor }, stranger] = [await makeAccount(), await makeAccount()];
  await expect(createSender(actor, { sender_id: "ACME", dlt_template_id: "1" })).rejects.toMatchObject(MISSING);
  const { id } = await createSender(actor, { sender_id: "ACME", ...IDS });
  await expect(updateSender(actor, { id, dlt_entity_id: null })).rejects.toMatchObject(MISSING);
  await expect(updateSender(stranger.actor, { id, dlt_entity_id: "1" })).rejects.toMatchObject({ status: 404 });
});

test("a message carries the ids that its sender has when it is given to a provider", async () => {
  const account = await makeAccount();
  const send = () =>
    sendMessage(account.actor, { to: "+919812345678", from: account.senderId, body: "Hello" }, plainRequest());
  const dltOf = async (id: string) => {
    const [attempt] = await claimAttempts([id]);
    attempt?.slot?.release();
    return attempt?.message.dlt;
  };
  const [before, after] = [await send(), await send()];
  expect(await dltOf(before.id)).toBeNull();
  await updateSender(account.actor, { id: await ownSender(account), dlt_entity_id: "1201", dlt_template_id: "1107" });
  expect(await dltOf(after.id)).toEqual({ entityId: "1201", templateId: "1107", templateCategory: null });
  await pool().query("DELETE FROM graphile_worker._private_jobs");
});
