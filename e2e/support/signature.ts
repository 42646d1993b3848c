import { createHmac } from "node:crypto";
import type { Received } from "../../test/network/receiver";

const TOLERANCE_S = 300;

/**
 * A customer's verification of a webhook: checks `Service-Signature: t=<unix time>,v1=<hex>` over the raw bytes,
 * written from the documentation, not from the code that signs. @returns the verified event.
 * @throws Error naming the problem of the request.
 */
export function openWebhook(request: Received, secret: string): Record<string, unknown> {
  const header = request.headers["service-signature"];
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(header));
  if (!match) throw new Error(`Service-Signature is ${header}`);
  const [, timestamp = "", signature = ""] = match;
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_S) throw new Error(`t=${timestamp} is not now`);
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(request.body).digest("hex");
  if (signature !== expected) throw new Error("The signature is not that of the body.");
  return JSON.parse(request.body.toString("utf8"));
}

/** The signatures of a request, without their order. */
export const signaturesOf = ({ headers }: Received): string[] =>
  String(headers["service-signature"]).split(",").slice(1).toSorted();

/** The signatures that the request has with these secrets, in the same form. */
export function signaturesWith(secrets: readonly string[], { headers, body }: Received): string[] {
  const [, timestamp] = /^t=(\d+),/.exec(String(headers["service-signature"])) ?? [];
  const sign = (secret: string) => createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
  return secrets.map((secret) => `v1=${sign(secret)}`).toSorted();
}
