/** How easily a password is guessed, by the estimate of zxcvbn. Its dictionaries are large: not for the browser. */
import { defineProcessValue } from "../../core/process";
import { refusedInput } from "../../core/wire";

/** "Safely unguessable", on a scale from 0 to 4: more than 10^8 guesses. */
const LEAST_SCORE = 3;
/**
 * Only the beginning of a longer password is scored: the whole is not easier to guess, and the time of an estimate grows faster
 * than the square of the length, to seconds at 200 characters.
 */
const JUDGED_CHARACTERS = 32;

/** Loaded at first use: unpacking the dictionaries takes a tenth of a second, and most processes never need them. */
const estimator = defineProcessValue("auth.password_estimator", async () => {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
    import("@zxcvbn-ts/language-en"),
  ]);
  return new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
  });
});

/** `ann.lee@example.com` -> itself, `ann`, `lee`, `example`, `com`. */
const wordsOf = (text: string): string[] =>
  [text.slice(0, JUDGED_CHARACTERS), ...text.split(/[^\p{L}\p{N}]+/u)].filter((word) => word !== "");

/**
 * Why a password is too easy to guess, as a text for the person; null if it is not.
 * @param about the person's name and email, which attackers try first.
 */
export async function weaknessOf(password: string, about: readonly string[]): Promise<string | null> {
  const { score, feedback } = (await estimator()).check(password.slice(0, JUDGED_CHARACTERS), about.flatMap(wordsOf));
  if (score >= LEAST_SCORE) return null;
  const advice = [feedback.warning, ...feedback.suggestions].filter(Boolean).join(" ");
  return `too easy to guess. ${advice || "Add more words that are less common."}`;
}

/** Refuses a password that is easily guessed. @param param the field that it came in. @throws 400 */
export async function requireStrong(param: string, password: string, about: readonly string[]): Promise<void> {
  const weakness = await weaknessOf(password, about);
  if (weakness !== null) throw refusedInput(param, weakness);
}
