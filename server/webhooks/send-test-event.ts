import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import type { MessageRow } from "../messages/present";
import { postEvent } from "./post";
import { presentEvent, presentTest } from "./present";
import { WEBHOOK_TIMEOUT_MS } from "./retry";
import type { WebhookTest } from "./schema";
import { type SealedSecrets, unsealSecrets } from "./secrets";
import { noSuchEndpoint } from "./service";
import { TARGET_COLUMNS } from "./store";

const TEST_HEADERS = { "Service-Test": "true" };
const SENT_BEFORE_MS = 1_000;

/**
 * Posts one signed `message.delivered` event about an invented message, just as a delivery is posted, and waits for the
 * response. The event is not stored or retried and does not change the endpoint's failure count. A disabled endpoint can
 * be tested too.
 * @param limitMs for the whole exchange.
 * @throws 404
 */
export async function sendTestEvent(
  actor: AccountActor,
  id: string,
  limitMs = WEBHOOK_TIMEOUT_MS,
): Promise<WebhookTest> {
  const { rows } = await pool().query<SealedSecrets & { url: string }>(
    `SELECT ${TARGET_COLUMNS} FROM webhook_endpoints WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`,
    [id, actor.accountId],
  );
  const [target] = rows;
  if (!target) throw noSuchEndpoint();
  const at = now();
  const event = { id: newId("event"), type: "message.delivered", status: "delivered", createdAt: at };
  const body = Buffer.from(JSON.stringify(presentEvent(event, inventMessage(actor.accountId, at))));
  const post = { url: target.url, secrets: unsealSecrets(target), eventId: event.id, body, headers: TEST_HEADERS };
  return presentTest(await postEvent(post, limitMs));
}

/** The number is one of those reserved for fiction. */
const inventMessage = (accountId: string, at: Date): MessageRow => ({
  id: newId("message"),
  accountId,
  apiKeyId: null,
  toNumber: "+14155550123",
  fromSender: "TEST",
  body: "This is a test event. No message was sent.",
  encoding: "GSM-7",
  segments: 1,
  status: "delivered",
  costMicros: 0n,
  currency: "USD",
  routeId: null,
  chain: [],
  provider: "sandbox",
  providerMessageId: "test",
  attempts: 1,
  errorCode: null,
  errorMessage: null,
  reference: "test",
  createdAt: new Date(at.getTime() - SENT_BEFORE_MS),
  sentAt: at,
  deliveredAt: at,
  failedAt: null,
});
