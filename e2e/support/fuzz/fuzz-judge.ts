/** Rules for every response, whatever the request: those of the contract, and further ones for generated requests. */

import type { Contract, Envelope } from "../contract";
import type { FuzzRequest } from "./arbitrary-requests";

export type FuzzResponse = { status: number; headers: Headers; text: string };

/** Accepts either `to` or `recipients`, which its schema cannot express. */
const EITHER_OR = "POST /messages/estimate";

/** The body of a response; null for HEAD and OPTIONS. @throws Error naming the broken rule. */
export function judge(contract: Contract, sent: FuzzRequest, answer: FuzzResponse): Envelope | null {
  const { status, headers, text } = answer;
  const insist = (holds: boolean, fault: string) => {
    if (!holds) throw new Error(`${fault}: ${status} ${text.slice(0, 1_000)}`);
  };
  insist(status >= 200 && status < 500, "neither done nor refused");
  if (sent.method === "HEAD") {
    insist(text === "", "HEAD has a body");
    return null;
  }
  if (sent.method === "OPTIONS" && status === 204) {
    insist(text === "" && headers.has("allow"), "OPTIONS does not say the methods");
    return null;
  }
  const { method, path } = sent;
  const body = contract.check({ method, path, sent: parse(sent.body), status, headers, text });
  if (status !== 400) return body;
  const { reason, issues } = body.error?.details ?? {};
  insist(typeof reason === "string" || (Array.isArray(issues) && issues.length > 0), "neither a reason nor issues");
  const isRefusedByShape = sent.isIntact && typeof reason !== "string";
  insist(!isRefusedByShape || sent.operation === EITHER_OR, "what the document allows was refused");
  return body;
}

/** Parses a body as JSON, without a leading byte order mark. Returns a value that no operation accepts if it is not JSON. */
function parse(body: string | Buffer | null): unknown {
  try {
    return JSON.parse(String(body).replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}
