/**
 * The port to the carriers. An HTTP provider is a set of pure functions ({@link HttpProvider}); what speaks over a
 * connection of its own (SMPP, the sandbox) is an {@link Adapter}. Neither throws for what a provider does.
 */
import type { z } from "zod";
import type { ProviderId } from "./schema";

/** What an adapter is asked to send. `to` is E.164; `from` a number (with or without `+`) or an alphanumeric sender ID. */
export type OutboundMessage = {
  id: string;
  to: string;
  from: string;
  body: string;
  encoding: "GSM-7" | "UCS-2";
  segments: number;
};

/** One hand-over of a message to one provider. */
export type SendRequest = {
  message: OutboundMessage;
  /** Our name for this attempt: `<message id>-<attempt number>`, at most 40 characters of `[a-z0-9_-]`. */
  reference: string;
  /** Absolute URL for this attempt's receipts: the provider's secret path with the reference as `ref` in its query. */
  receiptUrl: string;
};

/**
 * What stands in the way of a provider that sent nothing.
 * - provider: it is failing (5xx, not reachable): counts against it, and enough of them open its breaker.
 * - account: our account with it cannot send (credentials, credit, suspended): its breaker opens at once.
 * - throttled: it is asked too much.
 * - message: it cannot carry this one (sender not registered there, region not enabled, longer than its own limit); nothing
 *   is wrong with it.
 */
export type Fault = "provider" | "account" | "throttled" | "message";

/**
 * How a hand-over ended.
 * - accepted: the provider took the message, under one id of its own, or one for each part that it reports on by itself.
 *   `lost`: it took some parts only, and why it did not take the others.
 * - refused: for good; no other provider would take it (invalid number, blocked, content). Never for a length: ours is the
 *   limit that a customer was told, and another provider may well have a higher one.
 * - retryable: nothing was sent; the next provider may be tried.
 * - unknown: the request may have arrived (time-out or reset after it was written, a gateway's 502 or 504). `taken`: ids
 *   of the parts that the provider did take before the one of which that is not known.
 */
export type SendOutcome =
  | { kind: "accepted"; providerMessageIds: readonly string[]; lost?: { code: string; detail: string } }
  | ({ kind: "refused" } & OutcomeDetail)
  | ({ kind: "unknown"; taken?: readonly string[] } & OutcomeDetail)
  | ({ kind: "retryable"; fault: Fault } & OutcomeDetail);

/**
 * `detail` is read by customers, so it is in our own words. `said` is what the provider itself said, which may name the
 * operator's account or addresses: for operators alone. `isOurStall`: this process stood still during the exchange, so how
 * it ended says nothing of the provider.
 */
type OutcomeDetail = { code: string; detail: string; said?: string; isOurStall?: true };

/** Something that messages can be handed to. */
export type Adapter = {
  id: ProviderId;
  /** Calls that may be under way at once from this process. */
  maxInFlight: number;
  /**
   * Waits until a call could be written at once, for what needs a standing connection. It reserves nothing.
   * @returns null, or why nothing can be sent now; then nothing was.
   */
  ready?: () => Promise<SendOutcome | null>;
  send: (sendRequest: SendRequest) => Promise<SendOutcome>;
  /** Asks the provider what became of a hand-over; null: it cannot tell (yet). */
  lookUp?: (sendRequest: SendRequest) => Promise<SendOutcome | null>;
};

export type WireRequest = {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body: string | null;
};

/** Header names are in lower case. `body` is the text of at most 256 KiB. */
export type WireResponse = { status: number; headers: Record<string, string>; body: string };

/** A request of a provider to us, as it came. */
export type Callback = {
  method: string;
  /** The exact public URL as the provider was given it: scheme, host, port, path and query, nothing decoded. */
  url: string;
  /** Names in lower case; of repeated ones the values joined by `, `. */
  headers: Record<string, string>;
  body: Buffer;
};

/**
 * Whether a callback is the provider's own.
 * - genuine: `nonces` are what makes it unique, where the scheme has such a thing: a callback with one that was there before
 *   is not believed again. `isRepeatable`: the provider itself repeats what it was not sure to have told, under the same
 *   nonce, and is then told that it was understood.
 * - unasked: it bears no credentials, and its provider gives them only when they are asked for.
 */
export type Authenticity =
  | { kind: "genuine"; nonces: readonly string[]; isRepeatable?: true }
  | { kind: "forged" | "stale" | "unasked"; detail: string };

/** What a provider reports of one of its messages, in our words. */
export type Report = {
  providerMessageId: string;
  /** {@link SendRequest.reference}, when the callback carries it; null otherwise. */
  reference: string | null;
  status: "sent" | "delivered" | "failed" | "undelivered";
  /** The provider's own code of a failure, and what it means; both null when nothing failed. */
  code: string | null;
  detail: string | null;
  /** ISO 8601 with offset, when the provider says when it happened; null otherwise. */
  occurredAt: string | null;
};

/** A message from a handset to one of our numbers. Numbers as the provider wrote them. */
export type Inbound = { providerMessageId: string; from: string; to: string; text: string };

/** What a callback says. Both are empty when it is about something that we do not follow. */
export type CallbackContent = { reports: Report[]; inbound: Inbound[] };

/** Credentials and settings of a provider, as its own schema reads them. */
export type Settings = Record<string, unknown>;

/** A provider that is called over HTTP, as pure functions. */
export type HttpProvider<Own extends Settings = Settings> = {
  id: ProviderId;
  /** Every setting is text when it is entered; secrets are marked with {@link secret} of fields.ts. */
  settings: z.ZodType<Own>;
  maxInFlight: number;
  /** The longest text that it takes, in UTF-16 code units, where that is less than what our own API takes. */
  textMax?: Readonly<Record<OutboundMessage["encoding"], number>>;
  /** `accessToken`: from the server of {@link HttpProvider.buildTokenRequest}, where there is one. */
  buildRequest: (sendRequest: SendRequest, settings: Own, accessToken?: string) => WireRequest;
  /** Asks for an OAuth 2.0 access token; null: these settings need none. */
  buildTokenRequest?: (settings: Own) => WireRequest | null;
  readResponse: (response: WireResponse) => SendOutcome;
  /** Asks what became of a hand-over whose end is not known; absent where the provider has nothing of the kind. */
  buildLookUp?: (sendRequest: SendRequest, settings: Own) => WireRequest;
  /** `retryable`: it was never taken. null: the provider cannot tell (yet). */
  readLookUp?: (response: WireResponse, sendRequest: SendRequest) => SendOutcome | null;
  authenticate: (callback: Callback, settings: Own, at: Date) => Authenticity;
  /** @throws Error when it cannot be read. */
  readCallback: (callback: Callback) => CallbackContent;
};
