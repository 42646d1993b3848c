/**
 * The port to the providers. An HTTP provider is a set of pure functions ({@link HttpProvider}); SMPP and the sandbox,
 * which do not use HTTP, are an {@link Adapter} each. No `send` throws for a provider's failure.
 */
import type { z } from "zod";
import type { FailureReason, ProviderId } from "./schema";

/** A message as adapters send it. `to` is E.164; `from` a number (with or without `+`) or an alphanumeric sender ID. */
export type OutboundMessage = {
  id: string;
  to: string;
  from: string;
  body: string;
  encoding: "GSM-7" | "UCS-2";
  segments: number;
  /** End of its validity period; absent or null: none. */
  expiresAt?: Date | null;
  /** Ids of its sender's registration in India; absent or null: there is none. */
  dlt?: DltIds | null;
};

/** Ids of the registration of senders and templates in India (DLT). `templateCategory`: the kind of the template. */
export type DltIds = { entityId: string; templateId: string | null; templateCategory: string | null };

/** Remaining validity period: whole seconds, at least one, and its end. */
export type Validity = { seconds: number; until: Date };

/** One attempt to send a message through one provider. */
export type SendRequest = {
  message: OutboundMessage;
  /** Our reference to this attempt: `<message id>-<attempt number>`, at most 40 characters of `[a-z0-9_-]`. */
  reference: string;
  /** Absolute URL for this attempt's receipts: the provider's secret path with the reference as `ref` in its query. */
  receiptUrl: string;
  /** Absent: the message has no validity period. */
  validity?: Validity;
  /** Absent: the message may be sent however long the call has to wait for its turn. */
  permission?: SendPermission;
};

/** Permission to send a message: there was no STOP, suspension, revoked sender ID or end of its validity period. Times are by `performance.now()`. */
export type SendPermission = {
  /** The request may be written until then. */
  untilMs: number;
  /** Asks again. @returns the new `untilMs`; null when this call must not send the message, or nobody could be asked. */
  renew: () => Promise<number | null>;
};

/**
 * Why a provider sent nothing.
 * - provider: it is failing (5xx, not reachable): counts against it, and enough of them open its breaker.
 * - account: our account there cannot send (credentials, credit, suspended): its breaker opens at once.
 * - throttled: it throttles us, or is overloaded.
 * - message: it cannot carry this one (sender not registered there, region not enabled, longer than its own limit), and
 *   is otherwise healthy.
 */
export type Fault = "provider" | "account" | "throttled" | "message";

/**
 * Outcome of an attempt.
 * - accepted: the provider took the message, under one id, or under one for each part that has its own
 *   receipts. `lost`: it took only some parts, and why it did not take the others.
 * - refused: for good; no other provider would take it (invalid number, blocked, content). Never for a length:
 *   customers are promised our limit, and another provider may have a higher one.
 * - retryable: nothing was sent; the next provider may be tried. `isNotMade`: the call would have had to wait in this process for
 *   longer than its permission holds, so it was not made; the message is to be dispatched again as if it had never been.
 * - unknown: the request may have arrived (timeout or reset after it was written, a gateway's 502, 504, 520 or 524).
 *   `taken`: ids of the parts that the provider took before the unknown one.
 */
export type SendOutcome =
  | { kind: "accepted"; providerMessageIds: readonly string[]; lost?: { code: string; detail: string } }
  | ({ kind: "refused" } & OutcomeDetail)
  | ({ kind: "unknown"; taken?: readonly string[] } & OutcomeDetail)
  | ({ kind: "retryable"; fault: Fault; isNotMade?: true } & OutcomeDetail);

/**
 * `detail` is for customers, so it is in our own words. `providerDetail` has the provider's words, which may name the
 * operator's account or addresses: for operators only. `isOurStall`: this process stalled during the exchange, or
 * its machine had no files or ports left for it or could not look up the name, so the outcome says nothing about the provider.
 */
type OutcomeDetail = { code: string; detail: string; providerDetail?: string; isOurStall?: true };

/** Our code for one provider: messages are sent through it. */
export type Adapter = {
  id: ProviderId;
  /** Highest number of concurrent calls of this process. */
  maxInFlight: number;
  /**
   * Waits until a call could be written at once; only for adapters that need a bind or an access token. It reserves nothing.
   * @returns null, or why nothing can be sent now; then nothing was.
   */
  ready?: () => Promise<SendOutcome | null>;
  /** Whether a call could be written at once, as far as is known now. */
  isReady?: () => boolean;
  /** Number of concurrent calls that could be written within about a second, as far as is known now; absent: as many as `maxInFlight`. */
  limitNow?: () => number;
  send: (sendRequest: SendRequest) => Promise<SendOutcome>;
  /** Asks the provider for the outcome of an attempt; null: it does not know (yet). */
  lookUp?: (sendRequest: SendRequest) => Promise<SendOutcome | null>;
};

export type WireRequest = {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body: string | null;
};

/** Header names are in lower case. `body` is the text of at most 256 KiB, up to its 5,001st comma. */
export type WireResponse = { status: number; headers: Record<string, string>; body: string };

/** A provider's request to us, unchanged. */
export type Callback = {
  method: string;
  /** The exact public URL that the provider was given: scheme, host, port, path and query, not decoded. */
  url: string;
  /** Names in lower case; of repeated ones the values joined by `, `. */
  headers: Record<string, string>;
  body: Buffer;
};

/**
 * Whether a callback is the provider's own.
 * - genuine: `nonces` make it unique, if the scheme has them. Together they stand for its content: a callback whose nonces are
 *   all known is a repeat, and one of which only some are known is a replay.
 * - unasked: it has no credentials, because its provider sends them only after a challenge.
 */
export type Authenticity =
  | { kind: "genuine"; nonces: readonly string[] }
  | { kind: "forged" | "stale" | "unasked"; detail: string };

/** A provider's report about one of its messages, in our terms. */
export type Report = {
  providerMessageId: string;
  /** {@link SendRequest.reference}, when the callback carries it; null otherwise. */
  reference: string | null;
  status: "sent" | "delivered" | "failed" | "undelivered";
  /** The provider's code of a failure, and its meaning in our own words; both null unless the message failed. */
  code: string | null;
  detail: string | null;
  /** The provider's own words about a code that is in no table of ours: for operators only. */
  providerDetail?: string;
  /** Time of the event, ISO 8601 with offset; null when the provider gives none. */
  occurredAt: string | null;
  /** Set if it is about the whole text, by a provider that may also report on each part. */
  isOfWhole?: true;
  /**
   * Set if any handset could have sent the report: the number that it came from, in the provider's notation. The report
   * counts only if the message went to that number.
   */
  recipient?: string;
  /**
   * The number that a receipt came from, usually the recipient's, if only the provider's id identifies the message: it decides between
   * messages with the same id.
   */
  source?: string;
};

/**
 * A message from a handset to one of our numbers. Numbers are in the provider's notation. `keyword`: recognized by the provider
 * itself, whose list may have other words and languages than ours; absent: the text decides. `occurredAt`: when the provider received
 * it, ISO 8601 with offset; absent: not known.
 */
export type Inbound = {
  providerMessageId: string;
  from: string;
  to: string;
  text: string;
  keyword?: "stop" | "start";
  occurredAt?: string;
};

/**
 * A failure as it is stored with its message. `isRefusal`: the provider refused the message when it was to be sent; otherwise
 * it had taken it, and reported the failure later. `detail`: our words about it.
 */
export type StoredFailure = { code: string; detail: string; isRefusal: boolean };

/**
 * Content of a callback. Both lists are empty for events that we do not process. `unreadable`: how many further items could not be read;
 * absent: none.
 */
export type CallbackContent = { reports: Report[]; inbound: Inbound[]; unreadable?: number };

/** Credentials and settings of a provider, as its own schema reads them. */
export type Settings = Record<string, unknown>;

/** A provider that is called over HTTP, as pure functions. */
export type HttpProvider<Own extends Settings = Settings> = {
  id: ProviderId;
  /** All settings are entered as text; secrets are marked with `secret` of setting-fields.ts. */
  settings: z.ZodType<Own>;
  maxInFlight: number;
  /** Its longest text in UTF-16 code units, if it is shorter than our API's. */
  textMax?: Readonly<Record<OutboundMessage["encoding"], number>>;
  /** Why these settings cannot carry a message, which is then not sent; null: they can. */
  refuse?: (sendRequest: SendRequest, settings: Own) => SendOutcome | null;
  /** `accessToken`: by {@link HttpProvider.buildTokenRequest} or {@link HttpProvider.signToken}, where there is one. */
  buildRequest: (sendRequest: SendRequest, settings: Own, accessToken?: string) => WireRequest;
  /** Asks for an OAuth 2.0 access token; null: these settings need none. */
  buildTokenRequest?: (settings: Own) => WireRequest | null;
  /** Signs an access token itself; null: these settings need none. `id` makes it unique. */
  signToken?: (settings: Own, at: Date, id: string) => { token: string; lifetimeMs: number } | null;
  readResponse: (response: WireResponse) => SendOutcome;
  /** Asks for the outcome of an attempt whose outcome is unknown; absent if the provider cannot be asked. */
  buildLookUp?: (sendRequest: SendRequest, settings: Own) => WireRequest;
  /** `retryable`: it was never taken. null: the provider does not know (yet). */
  readLookUp?: (response: WireResponse, sendRequest: SendRequest) => SendOutcome | null;
  authenticate: (callback: Callback, settings: Own, at: Date) => Authenticity;
  /** `settings`: where a callback does not say everything. @throws Error when it cannot be read. */
  readCallback: (callback: Callback, settings?: Own) => CallbackContent;
  /** The reason of a failure by its code; undefined: the code is in no table. */
  reasonOf: (failure: StoredFailure) => FailureReason | undefined;
};
