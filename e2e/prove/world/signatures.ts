/** Verifies webhooks as a customer does who rotates signing secrets: by the documentation, not by the code that signs. */
import { createHmac } from "node:crypto";
import type { Received } from "@/test/network/receiver";

/** A signing secret, and when its response had arrived. */
export type KnownSecret = { secret: string; sinceMs: number };

const TOLERANCE_S = 300;
/** Requests that begin within a second of a rotation may have the old signature only; times in headers are whole seconds. */
const OVERLAP_MS = 2_000;

const hmac = (key: string | Buffer, prefix: string, body: Buffer) =>
  createHmac("sha256", key).update(prefix).update(body);

/** The signature with a secret in both headers' notations. */
const signatures = ({ headers, body }: Received, secret: string, timestamp: string) => ({
  service: hmac(secret, `${timestamp}.`, body).digest("hex"),
  standard: hmac(
    Buffer.from(secret.replace(/^whsec_/, ""), "base64"),
    `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`,
    body,
  ).digest("base64"),
});

/** The problem with the signatures of a webhook; null: none. @param known secrets of its endpoint, oldest first. */
export function signatureProblem(request: Received, known: readonly KnownSecret[]): string | null {
  const header = String(request.headers["service-signature"]);
  const [, timestamp = "", rest = ""] = /^t=(\d+)((?:,v1=[0-9a-f]{64}){1,2})$/.exec(header) ?? [];
  if (timestamp === "") return `Service-Signature is ${header}`;
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_S) return `t=${timestamp} is not now`;
  const service = rest.split(",v1=");
  const standard = String(request.headers["webhook-signature"])
    .split(" ")
    .map((each) => each.replace(/^v1,/, ""));
  const matches = known.map(({ secret }) => {
    const expected = signatures(request, secret, timestamp);
    return { service: service.includes(expected.service), standard: standard.includes(expected.standard) };
  });
  if (!matches.some((match) => match.service)) return "Service-Signature is not that of the body";
  if (!matches.some((match) => match.standard)) return "webhook-signature is not that of the body";
  const [latest, match] = [known.at(-1), matches.at(-1)];
  const isOverlapping = latest !== undefined && Number(timestamp) * 1_000 < latest.sinceMs + OVERLAP_MS;
  if (!isOverlapping && !(match?.service && match.standard)) return "it is not signed with the latest secret";
  return null;
}
