import type { ProviderId } from "./schema";

/** What an adapter is asked to send. `to` is E.164. */
export type OutboundMessage = {
  id: string;
  to: string;
  from: string;
  body: string;
  encoding: "GSM-7" | "UCS-2";
  segments: number;
};

/**
 * How a hand-over ended.
 * - accepted: the provider took the message, under its own id.
 * - refused: for good; no other provider would take it (invalid number, blocked, content).
 * - retryable: nothing was sent; the next provider may be tried.
 * - unknown: the request may have arrived (time-out or reset after it was written).
 */
export type Outcome =
  | { kind: "accepted"; providerMessageId: string }
  | { kind: "refused" | "retryable" | "unknown"; code: string; detail: string };

/** The one port to the outside: every provider is one adapter. It never throws for what a provider does. */
export type Adapter = {
  id: ProviderId;
  /** Calls that may be under way at once from this process. */
  maxInFlight: number;
  send: (message: OutboundMessage) => Promise<Outcome>;
};
