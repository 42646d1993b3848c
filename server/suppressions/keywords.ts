/** The words by which a person ends messages from a sender, or takes that back. The whole text must be one of them. */

/** What a text from a handset asks for. */
export type Keyword = "stop" | "start";

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  STOP: "stop",
  STOPALL: "stop",
  UNSUBSCRIBE: "stop",
  CANCEL: "stop",
  END: "stop",
  QUIT: "stop",
  REVOKE: "stop",
  OPTOUT: "stop",
  "OPT OUT": "stop",
  START: "start",
  UNSTOP: "start",
};

/** What one segment holds; a longer text is a sentence. */
const TEXT_MAX = 160;
/** Spaces, punctuation, quotes, emoji and invisible characters around the word. */
const AROUND = /^[\p{P}\p{S}\p{Z}\p{C}\p{M}]+|(?<![\p{P}\p{S}\p{Z}\p{C}\p{M}])[\p{P}\p{S}\p{Z}\p{C}\p{M}]+$/gu;
/** Between the two words of "opt out": spaces, or one of the many dashes. */
const BETWEEN = /[\p{Z}\p{Pd}\s]+/gu;

/**
 * The keyword that a text is: case, and whatever is not a letter or digit around it, do not matter. A keyword within a
 * longer sentence is none; null then.
 */
export function keywordOf(text: string): Keyword | null {
  if (text.length > TEXT_MAX) return null;
  const word = text.replace(AROUND, "").replace(BETWEEN, " ").toUpperCase();
  return Object.hasOwn(KEYWORDS, word) ? (KEYWORDS[word] ?? null) : null;
}
