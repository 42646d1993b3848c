/** What the readers of providers' answers have in common. */
import { z } from "zod";
import type { Fault, SendOutcome } from "../port";

/** How a hand-over ended that was not accepted. */
export type NotAccepted = Exclude<SendOutcome, { kind: "accepted" }>;

/** Refused for good, or whose fault it is that nothing was sent. */
export type ErrorClass = "refused" | Fault;

/** What a provider's code says: who is to blame, and a sentence that a customer can read. */
export type Meaning = readonly [errorClass: ErrorClass, detail: string];

/** A code as providers write it: text or a number. */
export const wireCode = z.union([z.string().min(1), z.number()]).transform(String);

/** The same where what it belongs to can be read without it: anything else is null. */
export const wireCodeOrNull = wireCode.nullish().catch(null);

/** JSON, or null for a text that is none. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The ending that a meaning stands for, under the provider's own code, and what the provider said in its own words. */
export function outcomeOf(
  code: string,
  [errorClass, detail]: Meaning,
  ...texts: readonly (string | null | undefined)[]
): NotAccepted {
  const said = sentences(...texts);
  const told = { code, detail, ...(said && { said }) };
  return errorClass === "refused" ? { kind: "refused", ...told } : { kind: "retryable", ...told, fault: errorClass };
}

const UNLISTED: Readonly<Record<ErrorClass, string>> = {
  refused: "The provider refused the message.",
  message: "The provider did not take the message.",
  throttled: "The provider was asked too much.",
  provider: "The provider failed.",
  account: "The provider does not serve this installation.",
};

/** What a code means that no table of ours knows. */
export const unlisted = (errorClass: ErrorClass): Meaning => [errorClass, UNLISTED[errorClass]];

/** An outcome as operators read it: with what the provider said. */
export const forOperators = (outcome: SendOutcome): SendOutcome =>
  outcome.kind === "accepted" || !outcome.said
    ? outcome
    : { ...outcome, detail: sentences(outcome.detail, outcome.said) };

const FAULTS: ReadonlyMap<number, Fault> = new Map([
  [401, "account"],
  [402, "account"],
  [403, "account"],
  // The address that we call holds the account, or is set up with it.
  [404, "account"],
  [405, "account"],
  [408, "provider"],
  [429, "throttled"],
]);

/** Whose fault an error is of which only the HTTP status is known. `own`: where a provider differs from the others. */
export const faultOfStatus = (status: number, own?: ReadonlyMap<number, Fault>): Fault =>
  own?.get(status) ?? FAULTS.get(status) ?? (status >= 400 && status < 500 ? "message" : "provider");

/** A bare status as a sentence. */
const answered = (status: number): string => `The provider answered HTTP ${status}.`;

const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

/**
 * The ending of an answer other than 2xx that holds no error of the provider's own. Behind a gateway that answers 502 or
 * 504 the provider may have taken the message all the same.
 */
export function outcomeOfHttp(status: number, own?: ReadonlyMap<number, Fault>): NotAccepted {
  const code = `http_${status}`;
  if (status === BAD_GATEWAY || status === GATEWAY_TIMEOUT) {
    return { kind: "unknown", code, detail: `A gateway answered HTTP ${status}: the message may have been sent.` };
  }
  return outcomeOf(code, [faultOfStatus(status, own), answered(status)]);
}

function sentenceOf(text: string): string {
  const [first = "", ...rest] = text.replace(/\s+/g, " ").replace(/^ |[ ,:;]+$/g, "");
  const words = first.toUpperCase() + rest.join("");
  return words === "" || /[.!?]["')\]]?$/.test(words) ? words : `${words}.`;
}

/** What there is of these texts, as sentences, each once; empty when nothing is said. */
export const sentences = (...texts: (string | null | undefined)[]): string =>
  [...new Set(texts.map((text) => sentenceOf(text ?? "")))].filter(Boolean).join(" ");
