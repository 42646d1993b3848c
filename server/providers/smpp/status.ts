/** Meaning of a response's command_status for a message. */
import { type Meaning, type NotAccepted, outcomeOf } from "../http/response";

export const STATUS_TEMPORARY = 0x64;
export const STATUS_QUEUE_FULL = 0x14;
export const STATUS_UNKNOWN_COMMAND = 0x03;
export const STATUS_NOT_BOUND = 0x04;

/**
 * Errors about the recipient or the content are refused for good. Errors about our way of writing to this centre
 * (lengths, classes, times, encodings, parameters) are not: centres differ in their support, so the next provider is
 * tried. So it is with 0x45, 0x64 and 0xfe, by which centres report single recipients, such as those who want no
 * advertising.
 */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [0x01, ["message", "The length of the message is not valid."]],
  [0x02, ["message", "The length of the request is not valid."]],
  [0x03, ["message", "The message centre does not know the request."]],
  [0x04, ["provider", "The connection is not ready for the request."]],
  [0x05, ["provider", "The connection was signed in already."]],
  [0x08, ["provider", "Internal error of the message centre."]],
  [0x0a, ["message", "The sender is not valid."]],
  [0x0b, ["refused", "The recipient is not a valid number."]],
  [0x0d, ["account", "The message centre did not let us sign in."]],
  [0x0e, ["account", "The password is wrong."]],
  [0x0f, ["account", "The system id is not known."]],
  [0x14, ["throttled", "The message queue is full."]],
  [0x15, ["account", "The service type is not valid."]],
  [0x43, ["message", "The class of the message is not valid."]],
  [0x45, ["message", "The message centre could not take the message."]],
  [0x48, ["message", "The sender's type of number is not valid."]],
  [0x49, ["message", "The sender's numbering plan is not valid."]],
  [0x50, ["refused", "The recipient's type of number is not valid."]],
  [0x51, ["refused", "The recipient's numbering plan is not valid."]],
  [0x53, ["account", "The system type is not valid."]],
  [0x58, ["throttled", "More was sent than is allowed."]],
  [0x61, ["message", "The scheduled time is not valid."]],
  [0x62, ["message", "The validity of the message is not valid."]],
  [0x64, ["message", "The recipient's side has a temporary error."]],
  [0x65, ["refused", "The recipient's side has a permanent error."]],
  [0x66, ["refused", "The recipient's side rejects the message."]],
  [0xc0, ["message", "The optional parameters are not valid."]],
  [0xc1, ["message", "An optional parameter is not allowed."]],
  [0xc2, ["message", "The length of an optional parameter is not valid."]],
  [0xc3, ["message", "An optional parameter is missing."]],
  [0xc4, ["message", "The value of an optional parameter is not valid."]],
  [0xfe, ["message", "The delivery failed."]],
  [0xff, ["provider", "The message centre reported an unknown error."]],
  [0x100, ["account", "The service type is not allowed for the account."]],
  [0x101, ["refused", "The message is prohibited."]],
  [0x102, ["account", "The service type is not available."]],
  [0x103, ["account", "The service type is denied."]],
  [0x104, ["message", "The encoding of the text is not valid."]],
]);

/**
 * The outcome of a message by a command_status other than 0, in the response to submit_sm or to the bind that it waits
 * for. An unlisted status is about the message: centres have their own for recipients, networks and contents that they
 * do not serve.
 */
export function outcomeOfStatus(status: number): NotAccepted {
  const code = `0x${status.toString(16).padStart(2, "0")}`;
  return outcomeOf(
    code,
    MEANINGS.get(status) ?? ["message", `The message centre answered with its own status ${code}.`],
  );
}
