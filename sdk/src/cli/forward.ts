/** Forwards events to a local server as the service itself would post them. */
import { createHmac, randomBytes } from "node:crypto";
import { withTimeLimit } from "../time-limit.js";
import type { WebhookEvent } from "../webhooks.js";
import { causeOf } from "./words.js";

export type Forwarding = {
  events: AsyncIterable<WebhookEvent>;
  url: string;
  /** Event types to forward. */
  types: ReadonlySet<WebhookEvent["type"]>;
  /** Signing secret, `whsec_…`; null: a new one. */
  secret: string | null;
  /** Prints an item as JSON or as a line. */
  show: (item: object, line: string) => void;
  printError: (line: string) => void;
  signal: AbortSignal;
};

const SECRET_PREFIX = "whsec_";
const TIMEOUT_MS = 10_000;

const hmac = (key: string | Buffer, signed: string, encoding: "hex" | "base64"): string =>
  createHmac("sha256", key).update(signed).digest(encoding);

/** Both signatures of a webhook: the service's own, and that of the Standard Webhooks specification. */
function signatureHeaders(secret: string, eventId: string, timestampS: number, body: string) {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return {
    "service-signature": `t=${timestampS},v1=${hmac(secret, `${timestampS}.${body}`, "hex")}`,
    "webhook-id": eventId,
    "webhook-timestamp": String(timestampS),
    "webhook-signature": `v1,${hmac(key, `${eventId}.${timestampS}.${body}`, "base64")}`,
  };
}

/** Posts one event. */
function post(url: string, secret: string, event: WebhookEvent, outer: AbortSignal) {
  const body = JSON.stringify(event);
  const startedAt = performance.now();
  return withTimeLimit(outer, TIMEOUT_MS, async (signal) => {
    const headers = {
      "content-type": "application/json",
      ...signatureHeaders(secret, event.id, Math.floor(Date.now() / 1_000), body),
    };
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await response.body?.cancel();
    return { status_code: response.status, latency_ms: Math.round(performance.now() - startedAt) };
  });
}

/** Forwards events one after another until the signal is aborted. A failed post is printed and not repeated. */
export async function forwardEvents(forwarding: Forwarding): Promise<void> {
  const { events, url, types, show, printError, signal } = forwarding;
  const secret = forwarding.secret ?? SECRET_PREFIX + randomBytes(32).toString("base64");
  show({ forward_to: url, signing_secret: secret }, `Forwarding events to ${url}. Signing secret: ${secret}`);
  for await (const event of events) {
    if (!types.has(event.type)) continue;
    const about = `${event.created_at}  ${event.type}  ${event.id}  ${event.data.id}`;
    try {
      const result = await post(url, secret, event, signal);
      show({ event, ...result }, `${about}  ${result.status_code} in ${result.latency_ms} ms`);
    } catch (thrown) {
      if (signal.aborted) return;
      printError(`${about}  ${causeOf(thrown)}`);
    }
  }
}
