/** Keywords by which a recipient stops messages from a sender, or starts them again. */

/** The effect of a keyword. */
export type Keyword = "stop" | "start";

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  STOP: "stop",
  STOPALL: "stop",
  "STOP ALL": "stop",
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

/** The length of one segment; a longer text cannot be a keyword. */
const TEXT_MAX = 160;
/** Spaces, punctuation, quotes, emoji and invisible characters around the word. */
const AROUND = /^[\p{P}\p{S}\p{Z}\p{C}\p{M}]+|(?<![\p{P}\p{S}\p{Z}\p{C}\p{M}])[\p{P}\p{S}\p{Z}\p{C}\p{M}]+$/gu;
/** Spaces or dashes between the two words of "opt out" and "stop all". */
const BETWEEN = /[\p{Z}\p{Pd}\s]+/gu;

/**
 * The keyword of a text, ignoring case and surrounding characters other than letters and digits. Null when the text is
 * not a keyword, including a sentence that contains one.
 */
export function keywordOf(text: string): Keyword | null {
  if (text.length > TEXT_MAX) return null;
  // East Asian keyboards write Latin letters in full width, which are different characters.
  const word = text.normalize("NFKC").replace(AROUND, "").replace(BETWEEN, " ").toUpperCase();
  return Object.hasOwn(KEYWORDS, word) ? (KEYWORDS[word] ?? null) : null;
}
