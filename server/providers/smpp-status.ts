/** What the command_status of an answer means for a message. */
import type { Fault, Outcome } from "./port";

/** An answer that is not yes. */
export type NotAccepted = Exclude<Outcome, { kind: "accepted" }>;

type Meaning = readonly [effect: "refused" | Fault, text: string];

export const STATUS_TEMPORARY = 0x64;
export const STATUS_UNKNOWN_COMMAND = 0x03;
export const STATUS_NOT_BOUND = 0x04;

/** A status that speaks of how we talk to this centre, not of the recipient, leaves the message to the next provider. */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [0x01, ["message", "the length of the message is invalid"]],
  [0x02, ["message", "the length of the command is invalid"]],
  [0x03, ["message", "the command is not known"]],
  [0x04, ["provider", "the bind is not in a state for this command"]],
  [0x05, ["provider", "bound already"]],
  [0x08, ["provider", "system error"]],
  [0x0a, ["message", "the source address is invalid"]],
  [0x0b, ["refused", "the destination address is invalid"]],
  [0x0d, ["account", "the bind failed"]],
  [0x0e, ["account", "the password is wrong"]],
  [0x0f, ["account", "the system_id is not known"]],
  [0x14, ["throttled", "the message queue is full"]],
  [0x15, ["account", "the service type is invalid"]],
  [0x43, ["message", "the esm_class is invalid"]],
  [0x45, ["provider", "the submit failed"]],
  [0x48, ["message", "the type of the source number is invalid"]],
  [0x49, ["message", "the numbering plan of the source is invalid"]],
  [0x50, ["refused", "the type of the destination number is invalid"]],
  [0x51, ["refused", "the numbering plan of the destination is invalid"]],
  [0x53, ["account", "the system type is invalid"]],
  [0x58, ["throttled", "more was sent than is allowed"]],
  [0x61, ["message", "the scheduled time is invalid"]],
  [0x62, ["message", "the validity period is invalid"]],
  [0x64, ["provider", "the receiver has a temporary error"]],
  [0x65, ["refused", "the receiver has a permanent error"]],
  [0x66, ["refused", "the receiver rejects the message"]],
  [0xc0, ["message", "the optional parameters are invalid"]],
  [0xc1, ["message", "an optional parameter is not allowed"]],
  [0xc2, ["message", "the length of an optional parameter is invalid"]],
  [0xc3, ["message", "an optional parameter is missing"]],
  [0xc4, ["message", "the value of an optional parameter is invalid"]],
  [0xfe, ["provider", "the delivery failed"]],
  [0xff, ["provider", "unknown error"]],
  [0x100, ["account", "we may not use this service type"]],
  [0x101, ["message", "prohibited"]],
  [0x102, ["account", "the service type is not available"]],
  [0x103, ["account", "the service type is denied"]],
  [0x104, ["message", "the data coding is invalid"]],
]);

/**
 * What a status other than 0 means for a message, as an answer to submit_sm or to the bind that it waits for. One that
 * the table lacks (centres have codes of their own) is a failure of the provider: nothing was taken.
 */
export function outcomeOfStatus(status: number): NotAccepted {
  const code = `0x${status.toString(16).padStart(2, "0")}`;
  const [effect, text] = MEANINGS.get(status) ?? ["provider", "a status of this message centre's own"];
  const detail = `command_status ${code}: ${text}`;
  return effect === "refused" ? { kind: "refused", code, detail } : { kind: "retryable", code, detail, fault: effect };
}
