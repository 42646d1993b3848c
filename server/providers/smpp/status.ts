/** Meaning of a response's command_status for a message. */
import { type Meaning, type NotAccepted, outcomeOf } from "../http/response";
import type { FailureReason } from "../schema";

export const STATUS_TEMPORARY = 0x64;
export const STATUS_QUEUE_FULL = 0x14;
export const STATUS_UNKNOWN_COMMAND = 0x03;
export const STATUS_NOT_BOUND = 0x04;

/**
 * Errors about the recipient or the content are refused for good. Errors about our way of writing to this centre
 * (lengths, classes, times, encodings, parameters) are not: centres differ in their support, so the next provider is tried. The
 * same applies to 0x45, 0x64 and 0xfe, with which centres report single recipients, such as those who want no advertising.
 */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [0x01, ["message", "The length of the message is not valid.", "content"]],
  [0x02, ["message", "The length of the request is not valid.", "unknown"]],
  [0x03, ["message", "The message centre does not know the request.", "unknown"]],
  [0x04, ["provider", "The connection is not ready for the request.", "no_provider"]],
  [0x05, ["provider", "The connection was signed in already.", "no_provider"]],
  [0x08, ["provider", "Internal error of the message centre.", "no_provider"]],
  [0x0a, ["message", "The sender is not valid.", "sender"]],
  [0x0b, ["refused", "The recipient is not a valid number.", "invalid_recipient"]],
  [0x0d, ["account", "The message centre did not let us sign in.", "no_provider"]],
  [0x0e, ["account", "The password is wrong.", "no_provider"]],
  [0x0f, ["account", "The system id is not known.", "no_provider"]],
  [0x14, ["throttled", "The message queue is full.", "rate"]],
  [0x15, ["account", "The service type is not valid.", "no_provider"]],
  [0x43, ["message", "The class of the message is not valid.", "content"]],
  [0x45, ["message", "The message centre could not take the message.", "unknown"]],
  [0x48, ["message", "The sender's type of number is not valid.", "sender"]],
  [0x49, ["message", "The sender's numbering plan is not valid.", "sender"]],
  [0x50, ["refused", "The recipient's type of number is not valid.", "invalid_recipient"]],
  [0x51, ["refused", "The recipient's numbering plan is not valid.", "invalid_recipient"]],
  [0x53, ["account", "The system type is not valid.", "no_provider"]],
  [0x58, ["throttled", "More was sent than is allowed.", "rate"]],
  [0x61, ["message", "The scheduled time is not valid.", "unknown"]],
  [0x62, ["message", "The validity of the message is not valid.", "unknown"]],
  [0x64, ["message", "The recipient's side has a temporary error.", "unreachable"]],
  [0x65, ["refused", "The recipient's side has a permanent error.", "unknown"]],
  [0x66, ["refused", "The recipient's side rejects the message.", "blocked"]],
  [0xc0, ["message", "The optional parameters are not valid.", "unknown"]],
  [0xc1, ["message", "An optional parameter is not allowed.", "unknown"]],
  [0xc2, ["message", "The length of an optional parameter is not valid.", "unknown"]],
  [0xc3, ["message", "An optional parameter is missing.", "unknown"]],
  [0xc4, ["message", "The value of an optional parameter is not valid.", "unknown"]],
  [0xfe, ["message", "The delivery failed.", "unknown"]],
  [0xff, ["provider", "The message centre reported an unknown error.", "unknown"]],
  [0x100, ["account", "The service type is not allowed for the account.", "no_provider"]],
  [0x101, ["refused", "The message is prohibited.", "blocked"]],
  [0x102, ["account", "The service type is not available.", "no_provider"]],
  [0x103, ["account", "The service type is denied.", "no_provider"]],
  [0x104, ["message", "The encoding of the text is not valid.", "content"]],
]);

const codeOf = (status: number): string => `0x${status.toString(16).padStart(2, "0")}`;

/** The reason of a failure by the code of {@link outcomeOfStatus}; undefined: it is in no table. */
export const reasonOfStatus = (code: string): FailureReason | undefined =>
  /^0x[0-9a-f]+$/.test(code) ? MEANINGS.get(Number(code))?.[2] : undefined;

/**
 * The outcome of a message by a command_status other than 0, in the response to submit_sm or to the bind that it waits for. An unlisted
 * status counts as being about the message: centres have their own for recipients, networks and contents that they do not serve.
 */
export function outcomeOfStatus(status: number): NotAccepted {
  const code = codeOf(status);
  return outcomeOf(
    code,
    MEANINGS.get(status) ?? ["message", `The message centre responded with its own status ${code}.`, "unknown"],
  );
}
