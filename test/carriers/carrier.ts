/** The interface of every emulated carrier: faults to order, a book of accepted messages, receipts to send. */

/**
 * The carrier's behaviour at the next request for a number.
 * - accept: takes it.
 * - refuse: refuses it for good, as a recipient who cannot be reached or has opted out.
 * - unavailable: fails without taking it (5xx, or its own code for an internal error).
 * - throttle: asked too much, not taken.
 * - account: our account with it is at fault (bad credentials or no credit), not taken.
 * - hang: takes it and never responds.  - hang-unread: never reads the request, never responds.
 * - reset: takes it, then resets the connection without a response.  - reset-unread: resets before reading.
 * - slow: takes it and responds after `ms`.
 * - malformed: takes it and sends an unreadable response.
 * - partial: takes all parts of a long text but the last; only where each part has an id of its own.
 */
export type Behaviour =
  | { kind: "accept" | "refuse" | "unavailable" | "throttle" | "account" }
  | { kind: "hang" | "hang-unread" | "reset" | "reset-unread" | "malformed" | "partial" }
  | { kind: "slow"; ms: number };

/** A message that the carrier took: it would be on its way to a handset. */
export type TakenMessage = {
  /** E.164 with `+`, however it came. */
  to: string;
  from: string;
  text: string;
  /** Parts by the carrier's own count. */
  parts: number;
  /** The carrier's ids: one, or one for each part that it took where it has one for each. */
  ids: string[];
  /** Our reference as the request carried it; null where the carrier has no such field and the receipt URL none either. */
  reference: string | null;
  /** Where the request asked to report; null where that is set up elsewhere. */
  receiptUrl: string | null;
  takenAt: Date;
};

export type Reported = "sent" | "delivered" | "failed" | "undelivered";

/** How a receipt is sent when not simply as it should be. */
export type ReceiptOptions = {
  /** Index of the part it is about, where the carrier reports on each; absent: all of them, one after the other. */
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
  /** Settings with which the product is pointed here, by name of environment variable. */
  environment: Record<string, string>;
  /** Orders what happens to the next requests for a number (E.164), in this order; after that, and otherwise: accept. */
  plan: (to: string, ...behaviours: Behaviour[]) => void;
  /** Orders what happens to requests for which nothing is planned; asked once for each, with its number (E.164). */
  otherwise: (choose: (to: string) => Behaviour) => void;
  /** Accepted messages, oldest first. */
  taken: readonly TakenMessage[];
  /** Requests that it saw for a number, taken or not. */
  requestsFor: (to: string) => number;
  /**
   * Sends a receipt, signed as the carrier signs. `receiptUrl` is where the product takes receipts of this carrier, for
   * those that have it set up in their own console. @returns the status codes of the product's responses (SMPP:
   * command_status of the deliver_sm_resp).
   */
  report: (message: TakenMessage, status: Reported, receiptUrl: string, options?: ReceiptOptions) => Promise<number[]>;
  /**
   * Sends a message from a handset to one of our numbers. @param isRepeated the same bytes as for this message before; over
   * SMPP nothing says that they are the same. @returns the status code of the product's response.
   */
  inbound: (message: InboundMessage, receiptUrl: string, isRepeated?: boolean) => Promise<number>;
  close: () => Promise<void>;
};
