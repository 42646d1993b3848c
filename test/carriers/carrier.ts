/** The interface of every emulated carrier: planned faults, a book of accepted messages, receipts to send. */

/**
 * The carrier's behavior at the next request for a number.
 * - accept: takes it.
 * - refuse: refuses it for good, as a recipient who cannot be reached or has opted out.
 * - unavailable: fails without taking it (5xx, or its own code for an internal error).
 * - throttle: refuses it because of too many requests, not taken.
 * - account: refuses it because of our account (bad credentials or no credit), not taken.
 * - hang: takes it and never responds.  - hang-unread: never reads the request, never responds.
 * - reset: takes it, then resets the connection without a response.  - reset-unread: resets before reading.
 * - slow: takes it and responds after `ms`.
 * - malformed: takes it and sends an unreadable response.
 * - partial: takes all parts of a long text except the last; only where each part has its own id.
 */
export type Behavior =
  | { kind: "accept" | "refuse" | "unavailable" | "throttle" | "account" }
  | { kind: "hang" | "hang-unread" | "reset" | "reset-unread" | "malformed" | "partial" }
  | { kind: "slow"; ms: number };

/** A message that the carrier took: it would be on its way to a handset. */
export type TakenMessage = {
  /** E.164 with `+`, whatever the notation in the request. */
  to: string;
  from: string;
  text: string;
  /** Parts by the carrier's own count. */
  parts: number;
  /** The carrier's ids: one, or one per part that it took, where each part has its own. */
  ids: string[];
  /** Our reference in the request or its receipt URL; null where neither has one. */
  reference: string | null;
  /** The receipt URL in the request; null where it is configured elsewhere. */
  receiptUrl: string | null;
  takenAt: Date;
};

export type Reported = "sent" | "delivered" | "failed" | "undelivered";

/** Deviations from the usual receipt. */
export type ReceiptOptions = {
  /** Index of the reported part, where the carrier reports on each; absent: all of them, one after the other. */
  part?: number;
  /**
   * forged: signed with another secret, or without the right path. stale: its time is an hour old. replayed: the same bytes as
   * the last one.
   */
  fault?: "forged" | "stale" | "replayed";
};

/** A message from a handset. `to`: one of our numbers. */
export type InboundMessage = { from: string; to: string; text: string };

export type Carrier = {
  /** Settings that point the product here, by the names of their environment variables. */
  environment: Record<string, string>;
  /** Plans the behavior at the next requests for a number (E.164), in this order; all others are accepted. */
  plan: (to: string, ...behaviors: Behavior[]) => void;
  /** Chooses the behavior at requests for which nothing is planned; called once for each, with its number (E.164). */
  otherwise: (choose: (to: string) => Behavior) => void;
  /** Accepted messages, oldest first. */
  taken: readonly TakenMessage[];
  /** Number of requests for a number, taken or not. */
  requestsFor: (to: string) => number;
  /**
   * Sends a receipt, signed as the carrier signs. `receiptUrl` is the product's receipt URL for this carrier, for carriers where it is
   * configured in their console. @returns the status codes of the product's responses (SMPP: command_status of the deliver_sm_resp).
   */
  report: (message: TakenMessage, status: Reported, receiptUrl: string, options?: ReceiptOptions) => Promise<number[]>;
  /**
   * Sends a message from a handset to one of our numbers. @param isRepeated the same bytes as for this message before; over
   * SMPP nothing says that they are the same. @returns the status code of the product's response.
   */
  inbound: (message: InboundMessage, receiptUrl: string, isRepeated?: boolean) => Promise<number>;
  close: () => Promise<void>;
};
