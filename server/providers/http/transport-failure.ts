/** Outcomes of calls that ended without a response. */
import { errors } from "undici";
import { errorCodeOf } from "../../core/errors";
import { messageWithParts } from "../../core/log";
import { ownFailureOf } from "../../core/own-failures";
import { RECEIVED_TOO_MUCH } from "../../egress/limit-received";
import { isProxied } from "../../egress/proxy";
import { isEgressProxyError } from "../../egress/proxy-error";
import type { SendOutcome } from "../port";
import { type Meaning, ofOurStall, outcomeOf, outcomeOfEgress, sentences } from "./response";

/**
 * Errors of connections that were never established (name, TCP or TLS), or were established after a stall too long to use them: the
 * provider cannot have seen a request.
 */
export const notConnected = new WeakSet<Error>();

/**
 * The outcome of a transport failure. The error's own message names hosts, so it is for operators only.
 * @param isStalled whether this process stalled meanwhile, so that the provider may not be to blame.
 */
export function outcomeOfFailure(thrown: unknown, isStalled: boolean): SendOutcome {
  const outcome = outcomeOfThrown(thrown);
  if (!isStalled) return outcome;
  return REFUSED.has(outcome.code) ? { ...outcome, isOurStall: true } : ofOurStall(outcome);
}

const UNREACHED: Meaning = ["provider", "The provider could not be reached.", "no_provider"];

function outcomeOfThrown(thrown: unknown): Exclude<SendOutcome, { kind: "accepted" }> {
  // The system's or undici's code.
  const code = errorCodeOf(thrown).toLowerCase() || "error";
  if (isEgressProxyError(thrown)) return outcomeOfEgress(thrown);
  if (thrown instanceof Error && notConnected.has(thrown)) {
    const ours = ownFailureOf(thrown);
    const outcome = outcomeOf(code, UNREACHED, ours ?? messageWithParts(thrown));
    return ours === null ? outcome : ofOurStall(outcome);
  }
  // Thrown before anything is written: a key has a character that no header can have, for example from pasting.
  if (thrown instanceof errors.InvalidArgumentError) {
    const detail = "A setting of the provider cannot be sent.";
    return { kind: "retryable", code, detail, providerDetail: sentences(thrown.message), fault: "account" };
  }
  if (thrown instanceof errors.HeadersTimeoutError || thrown instanceof errors.BodyTimeoutError || isAbort(thrown)) {
    return {
      kind: "unknown",
      code: "timeout",
      detail: "The provider did not respond in time: the message may have been sent.",
    };
  }
  const unreadable = unreadableOf(thrown);
  if (unreadable !== undefined) {
    const detail = "The provider's response could not be read: the message may have been sent.";
    return { kind: "unknown", code: "malformed_answer", detail, providerDetail: unreadable };
  }
  const detail = "The connection to the provider was lost: the message may have been sent.";
  const providerDetail = isProxied("providers") && "The connection led through the egress proxy.";
  return { kind: "unknown", code, detail, ...(providerDetail && { providerDetail }) };
}

const NOT_HTTP = "The response is not HTTP.";
/** The reason why a response could not be read, by the code, name or message of undici's error. */
const UNREADABLE: Readonly<Record<string, string>> = {
  HTTPParserError: NOT_HTTP,
  // Undici asserts some things, such as a status of at least 100.
  ERR_ASSERTION: NOT_HTTP,
  [RECEIVED_TOO_MUCH]: "More than 1 MiB was received for the response.",
  UND_ERR_HEADERS_OVERFLOW: "The headers of the response are too large.",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "The response is not as long as it says.",
  "bad response": "The response began with 100 Continue, which was not asked for.",
  "bad upgrade": "The response was 101 Switching Protocols, which was not asked for.",
};

function unreadableOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return UNREADABLE[errorCodeOf(thrown)] ?? UNREADABLE[thrown.name] ?? UNREADABLE[thrown.message];
}

/** Codes of connections that would have failed without a stall, too. */
const REFUSED = new Set(["econnrefused", "enotfound"]);

const isAbort = (thrown: unknown): boolean =>
  thrown instanceof Error && (thrown.name === "TimeoutError" || thrown.name === "AbortError");
