/** The texts of a bulk whose recipients have variables. */
import { setImmediate as others } from "node:timers/promises";
import { type ApiError, invalidRequest } from "../../core/errors";
import { shownName } from "../../core/input-issues";
import { fillIn } from "../placeholders";
import { BODY_MAX_CHARACTERS, type Encoding, segmentText } from "../segments";
import { toGsmPunctuation } from "../smart-encoding";

/** A text as it will be sent. */
export type FinalText = { body: string; encoding: Encoding; segments: number };

type Variables = Readonly<Record<string, string>>;

/** The text as it will be sent, with typographic punctuation replaced if the request asks for it. */
export function finalText(body: string, smartEncoding: boolean | null | undefined): FinalText {
  const final = smartEncoding ? toGsmPunctuation(body).body : body;
  const { encoding, segments } = segmentText(final);
  return { body: final, encoding, segments };
}

const unusable = (param: string, message: string): ApiError =>
  invalidRequest(`${param} ${message}`, { param, reason: "invalid_variables" });

/** Reason to refuse a filled-in text; null: none. */
function problemOf(param: string, { body, missing }: ReturnType<typeof fillIn>): ApiError | null {
  const [unknown] = missing;
  if (unknown !== undefined) return unusable(param, `has no value for {{${shownName(unknown)}}}.`);
  if (body === "") return unusable(param, "makes an empty text.");
  // Counted in code points only if necessary: a text never has more of them than units.
  if (body.length > BODY_MAX_CHARACTERS && [...body].length > BODY_MAX_CHARACTERS)
    return unusable(param, `makes a text of more than ${BODY_MAX_CHARACTERS} characters.`);
  return null;
}

/** Texts of 1,600 characters that take a few milliseconds together. */
const TEXTS_AT_ONCE_MAX = 50;

/**
 * The text of each recipient, in their order. Lets other requests have their turn meanwhile. @returns instead the refusal of the whole request when the variables do not
 * fit: a recipient without values must not get a text with a gap.
 */
export async function personalTexts(input: {
  body: string;
  smart_encoding?: boolean | null | undefined;
  recipients: readonly string[];
  variables: readonly Variables[];
}): Promise<{ texts: FinalText[]; refusal: null } | { texts: null; refusal: ApiError }> {
  const { body, recipients, variables } = input;
  if (variables.length !== recipients.length) {
    const refusal = unusable("variables", `must have one entry for each of the ${recipients.length} recipients.`);
    return { texts: null, refusal };
  }
  const texts: FinalText[] = [];
  for (const [at, values] of variables.entries()) {
    if (at > 0 && at % TEXTS_AT_ONCE_MAX === 0) await others();
    const filled = fillIn(body, values);
    const refusal = problemOf(`variables[${at}]`, filled);
    if (refusal) return { texts: null, refusal };
    texts.push(finalText(filled.body, input.smart_encoding));
  }
  return { texts, refusal: null };
}
