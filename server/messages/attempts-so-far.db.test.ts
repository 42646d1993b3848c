import { beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { cancelMessage } from "@/server/messages/changes/cancel";
import { listMessages } from "@/server/messages/lists/list-messages";
import { getMessage, getMessageDetail } from "@/server/messages/read";
import {
  BUSY,
  type Claimed,
  claimed,
  prepareAttempts,
  record,
  recordAndAdvance,
  UNKNOWN,
} from "@/test/database/attempts";

beforeAll(prepareAttempts);

/** The number of attempts of a message in each way to read it. */
async function attemptsOf({ account, id }: Claimed): Promise<number[]> {
  const { items } = await listMessages(account.actor, { page: 1, limit: 50 });
  const found = items.find((item) => item.id === id);
  const { message } = await getMessageDetail(account.actor, id);
  return [found?.attempts ?? -1, (await getMessage(account.actor, id)).attempts, message.attempts];
}

const everywhere = (count: number) => [count, count, count];

const begin = (id: string, seq: number) =>
  pool().query("UPDATE message_attempts SET begun_at = now() WHERE message_id = $1 AND seq = $2", [id, seq]);

test("a pending message counts the providers that it was handed to, but not a claim", async () => {
  const message = await claimed();
  expect(await attemptsOf(message)).toEqual(everywhere(1));
  await recordAndAdvance(message.first, BUSY);
  expect(await attemptsOf(message)).toEqual(everywhere(1));
  await begin(message.id, 2);
  expect(await attemptsOf(message)).toEqual(everywhere(2));
  const { rows } = await pool().query("SELECT attempts FROM messages WHERE id = $1", [message.id]);
  expect(rows).toEqual([{ attempts: 0 }]);
});

test("it still counts providers without a response while it waits for a receipt", async () => {
  const message = await claimed();
  const second = await recordAndAdvance(message.first, UNKNOWN);
  await begin(message.id, 2);
  await record(second, UNKNOWN);
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "pending", attempts: 2 });
});

test("a message that was never handed to a provider has none, before and after it is canceled", async () => {
  const message = await claimed();
  await pool().query("DELETE FROM message_attempts WHERE message_id = $1", [message.id]);
  expect(await attemptsOf(message)).toEqual(everywhere(0));
  await cancelMessage(message.account.actor, message.id);
  expect(await attemptsOf(message)).toEqual(everywhere(0));
});
