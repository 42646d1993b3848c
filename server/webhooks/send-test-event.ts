import { countOperation, type OperationLimit } from "../api-keys/operation-limit";
import { requireAuthority } from "../auth/authority";
import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { pool } from "../core/db";
import { serviceUnavailable } from "../core/errors";
import { newId } from "../core/ids";
import type { MessageRow } from "../messages/present";
import { postEvent } from "./delivery/post";
import { WEBHOOK_TIMEOUT_MS } from "./delivery/retry";
import { presentEvent, presentTest } from "./present";
import type { WebhookTest } from "./schema";
import { type SealedSecrets, unsealSecrets } from "./secrets";
import { noSuchEndpoint } from "./service";
import { TARGET_COLUMNS } from "./store";

const TEST_HEADERS = { "Service-Test": "true" };
const SENT_BEFORE_MS = 1_000;
/** Test events of an account per minute: each is a request to an address of its choice, made at once and free of charge. */
const TESTS_MAX = 10;
const TEST_LIMIT: OperationLimit = {
  name: "webhooks.test",
  limit: TESTS_MAX,
  action: `send ${TESTS_MAX} test events`,
  reason: "test_limit",
};

/**
 * Posts one signed `message.delivered` event about an invented message, just as a delivery is posted, and waits for the
 * response. The event is not stored or retried and does not change the endpoint's failure count. A disabled endpoint can
 * be tested too.
 * @param limitMs for the whole exchange.
 * @throws 404; 429 `test_limit` past 10 per minute and account, over all processes and both doors; 503 `outcome_unknown` when a
 *   failure of ours, such as a stall of this process, hid the endpoint's response.
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
  await countOperation(actor.accountId, TEST_LIMIT);
  await requireAuthority(actor);
  const at = now();
  const event = { id: newId("event"), type: "message.delivered", status: "delivered", createdAt: at };
  const body = Buffer.from(JSON.stringify(presentEvent(event, inventMessage(actor.accountId, at))));
  const post = { url: target.url, secrets: unsealSecrets(target), eventId: event.id, body, headers: TEST_HEADERS };
  return presentTest(
    await postEvent(post, limitMs).catch((thrown) => {
      throw responseUnknown(thrown);
    }),
  );
}

/** A stall is over when it is noticed, but for some seconds it may still break connections. */
const TEST_AGAIN_S = 5;

const responseUnknown = (cause: unknown) =>
  serviceUnavailable(
    "A failure on our side hid the endpoint's response. The endpoint may have received the test event: test it again.",
    { reason: "outcome_unknown", retryAfterS: TEST_AGAIN_S, cause },
  );

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
  metadata: null,
  createdAt: new Date(at.getTime() - SENT_BEFORE_MS),
  sentAt: at,
  deliveredAt: at,
  failedAt: null,
  scheduledAt: null,
  validityS: null,
});
