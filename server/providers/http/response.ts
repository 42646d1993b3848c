/** Shared readers of providers' responses. */
import { z } from "zod";
import type { EgressProxyError } from "../../egress/proxy-error";
import type { Fault, SendOutcome, WireResponse } from "../port";
import type { FailureReason } from "../schema";

/** Outcome of an attempt that was not accepted. */
export type NotAccepted = Exclude<SendOutcome, { kind: "accepted" }>;

/** Refused for good, or the fault that kept the message from being sent. */
export type ErrorClass = "refused" | Fault;

/** Meaning of a provider's code: its error class, and a sentence and a reason for customers. */
export type Meaning = readonly [errorClass: ErrorClass, detail: string, reason: FailureReason];

/** Meaning of a status in a receipt: a failure has a reason. */
export type Reported =
  | readonly [status: "sent" | "delivered", detail: string, reason?: undefined]
  | readonly [status: "failed" | "undelivered", detail: string, reason: FailureReason];

/** Meaning of the code of a receipt. */
export type Explained = readonly [detail: string, reason: FailureReason];

/** A code as providers write it: a text or a number. */
export const wireCode = z.union([z.string().min(1), z.number()]).transform(String);

/** An optional code: anything but a text or a number is null. */
export const wireCodeOrNull = wireCode.nullish().catch(null);

/** A text that explains something; anything but a text or a number is null, since it decides nothing. */
export const wireText = z.union([z.string(), z.number()]).transform(String).nullish().catch(null);

/** An id: a text, or a positive whole number that JSON keeps exactly. */
export const wireId = z.union([z.string().min(1), z.int().positive()]).transform(String);

/** Parses JSON; null when it is invalid. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The outcome of a meaning, with the provider's code and, for operators, the provider's own `texts`. */
export function outcomeOf(
  code: string,
  [errorClass, detail]: Meaning,
  ...texts: readonly (string | null | undefined)[]
): NotAccepted {
  const providerDetail = sentences(...texts);
  const reported = { code, detail, ...(providerDetail && { providerDetail }) };
  return errorClass === "refused"
    ? { kind: "refused", ...reported }
    : { kind: "retryable", ...reported, fault: errorClass };
}

const UNLISTED: Readonly<Record<ErrorClass, string>> = {
  refused: "The provider refused the message.",
  message: "The provider did not take the message.",
  throttled: "The provider throttles our requests.",
  provider: "The provider failed.",
  account: "The provider does not serve this installation.",
};

/** Meaning of a code that is in no table of ours, in a 2xx response; for others see {@link outcomeOfUnlisted}. */
export const unlisted = (errorClass: ErrorClass): Meaning => [errorClass, UNLISTED[errorClass], "unknown"];

/** An outcome as operators read it, with the provider's own words. */
export const forOperators = (outcome: SendOutcome): SendOutcome =>
  outcome.kind === "accepted" || !outcome.providerDetail
    ? outcome
    : { ...outcome, detail: sentences(outcome.detail, outcome.providerDetail) };

/**
 * An outcome caused by a stall of this process. A provider that was not reached because of it may be tried again, like one that
 * throttles: it never received the message. Otherwise the message would fail if the provider is the last of its chain.
 */
export const ofOurStall = <Outcome extends NotAccepted>(outcome: Outcome): Outcome => ({
  ...outcome,
  ...(outcome.kind === "retryable" && outcome.fault === "provider" && { fault: "throttled" }),
  isOurStall: true,
});

/**
 * The outcome of a call that the egress proxy blocked: nothing was sent. A failure of the proxy itself does not count against the
 * provider: its breaker stays closed, and it may be tried again, like one that throttles.
 */
export const outcomeOfEgress = ({ code, message, isOfTarget }: EgressProxyError): NotAccepted =>
  outcomeOf(
    code,
    [
      isOfTarget ? "provider" : "throttled",
      "The provider could not be reached through the egress proxy.",
      "no_provider",
    ],
    message,
  );

const FAULTS: ReadonlyMap<number, Fault> = new Map([
  [401, "account"],
  [402, "account"],
  [403, "account"],
  // The URL contains the account, or is configured with it.
  [404, "account"],
  [405, "account"],
  [408, "provider"],
  [429, "throttled"],
]);

/** The fault of an error with only a known HTTP status. `own`: a provider's exceptions. */
export const faultOfStatus = (status: number, own?: ReadonlyMap<number, Fault>): Fault =>
  own?.get(status) ?? FAULTS.get(status) ?? (status >= 400 && status < 500 ? "message" : "provider");

/** Statuses that send the caller elsewhere. 303 is in {@link MAYBE_SENT_STATUSES}. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** A bare HTTP status as a sentence. */
const responded = (status: number): string =>
  `The provider responded with HTTP ${status}${REDIRECTS.has(status) ? "; redirects are not followed" : ""}.`;

/** Refers to the result of a request that was carried out (RFC 9110, 15.4.4). */
const SEE_OTHER = 303;
/**
 * Statuses with which the message may have been taken: 303, and those of a gateway that had passed on the request. 520 and 524 are
 * Cloudflare's, for a response that it could not read, or that did not come.
 */
const MAYBE_SENT_STATUSES: ReadonlySet<number> = new Set([SEE_OTHER, 502, 504, 520, 524]);

const mayBeSent = (status: number): NotAccepted => ({
  kind: "unknown",
  code: `http_${status}`,
  detail: `${status === SEE_OTHER ? "The provider" : "A gateway"} responded with HTTP ${status}: the message may have been sent.`,
});

/** The text of Envoy's own response when a call ended without one of the provider; the reason follows. */
const ENVOY_RESET = /^upstream connect error or disconnect\/reset before headers\b(.*)/s;
/** Reasons before the request was written. After a retry the reason is that of the last try only. */
const ENVOY_NOT_SENT = /^\W*reset reason: ((local |remote )?connection failure|connection timeout|overflow)\b/;

/**
 * The outcome of a 503 from Envoy whose call was cut off after it may have been passed on; null: it is something else. The provider's
 * adapter would read it as a plain 503, which means that nothing was sent.
 */
export function outcomeOfEnvoy({ status, body }: WireResponse): NotAccepted | null {
  const reason = status === 503 ? ENVOY_RESET.exec(body)?.[1] : undefined;
  return reason === undefined || ENVOY_NOT_SENT.test(reason) ? null : mayBeSent(status);
}

/** The outcome of a response other than 2xx without an error of the provider's own. */
export function outcomeOfHttp(status: number, own?: ReadonlyMap<number, Fault>): NotAccepted {
  const code = `http_${status}`;
  if (MAYBE_SENT_STATUSES.has(status)) return mayBeSent(status);
  return outcomeOf(code, [faultOfStatus(status, own), responded(status), "unknown"]);
}

/**
 * The outcome of an error whose code is in no table of ours. Gateways and frameworks write errors of their own in the
 * shapes of providers, so with these statuses only a known code proves that nothing was sent.
 */
export function outcomeOfUnlisted(
  status: number,
  code: string,
  errorClass: ErrorClass,
  ...texts: readonly (string | null | undefined)[]
): NotAccepted {
  if (!MAYBE_SENT_STATUSES.has(status)) return outcomeOf(code, unlisted(errorClass), ...texts);
  const providerDetail = sentences(...texts);
  return { ...outcomeOfHttp(status), ...(providerDetail && { providerDetail }) };
}

function sentenceOf(text: string): string {
  // The lookbehind lets only the first character of a run begin a match; otherwise a long run would take quadratic time.
  const [first = "", ...rest] = text
    .replace(/\s+/g, " ")
    .replace(/(?<![ ,:;])[ ,:;]+$/, "")
    .replace(/^ /, "");
  const words = first.toUpperCase() + rest.join("");
  return words === "" || /[.!?]["')\]]?$/.test(words) ? words : `${words}.`;
}

/** The non-empty texts as sentences, each once; empty when there are none. */
export const sentences = (...texts: (string | null | undefined)[]): string =>
  [...new Set(texts.map((text) => sentenceOf(text ?? "")))].filter(Boolean).join(" ");
