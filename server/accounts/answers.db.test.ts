import { expect, test } from "vitest";
import { makeAccount } from "@/e2e/support/seed";
import { createApiKey } from "../api-keys/service";
import { pool } from "../core/db";
import { createSender } from "../senders/service";
import { createEndpoint } from "../webhooks/service";
import type { DeedRequest } from "./answers";

const request = (key: string, requestHash = "hash"): DeedRequest & { answerHeaders: Record<string, string> } => ({
  idempotency: () => ({ key, requestHash }),
  answerHeaders: {},
});

const keyInput = { name: "once", rate_limit: 600 };

test("20 parallel creations with one Idempotency-Key make one key, and all get its plain text", async () => {
  const { actor, accountId } = await makeAccount();
  const requests = Array.from({ length: 20 }, () => request("k"));
  const created = await Promise.all(requests.map((one) => createApiKey(actor, keyInput, one)));
  expect(new Set(created.map((key) => key.plain_key)).size).toBe(1);
  expect(requests.filter((one) => one.answerHeaders["Idempotency-Replayed"] === "true")).toHaveLength(19);
  const { rows } = await pool().query(
    "SELECT count(*)::int AS n FROM api_keys WHERE account_id = $1 AND name = 'once'",
    [accountId],
  );
  expect(rows).toEqual([{ n: 1 }]);
});

test("what is kept of an answer shows no secret", async () => {
  const { actor, accountId } = await makeAccount();
  const { plain_key } = await createApiKey(actor, keyInput, request("k"));
  const { rows } = await pool().query<{ response: string }>(
    "SELECT response FROM idempotency_keys WHERE account_id = $1",
    [accountId],
  );
  expect(rows[0]?.response).not.toContain(plain_key.slice(8));
});

test("senders and endpoints are created once too, and another request under the same key is 409", async () => {
  const { actor } = await makeAccount();
  const first = await createSender(actor, { sender_id: "ONCE" }, request("s"));
  expect(await createSender(actor, { sender_id: "ONCE" }, request("s"))).toEqual(first);
  const endpoint = await createEndpoint(actor, { url: "http://127.0.0.1:9/" }, request("e"));
  expect(await createEndpoint(actor, { url: "http://127.0.0.1:9/" }, request("e"))).toEqual(endpoint);
  await expect(createApiKey(actor, keyInput, request("s", "another"))).rejects.toMatchObject({ status: 409 });
});

test("a refused creation leaves its key free", async () => {
  const { actor } = await makeAccount();
  await createSender(actor, { sender_id: "TAKEN" });
  await expect(createSender(actor, { sender_id: "TAKEN" }, request("r"))).rejects.toMatchObject({ status: 400 });
  expect((await createSender(actor, { sender_id: "FREE" }, request("r", "other"))).sender_id).toBe("FREE");
});
