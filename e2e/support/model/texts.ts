/** The texts of a send: smart encoding, and the placeholders of a bulk (docs/sending.md). */
import { encodeGsm7 } from "../../../test/model/sms-parts";
import { encodingOf, type Refusal } from "./agreement";

export const BODY_MAX = 1_600;

const length = (text: string): number => [...text].length;

/** Some characters that smart encoding replaces. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  ...Object.fromEntries([..."“”„«»″"].map((quote) => [quote, '"'])),
  ...Object.fromEntries([..."‘’‚′"].map((quote) => [quote, "'"])),
  ...Object.fromEntries([..."‐–—"].map((dash) => [dash, "-"])),
  ...Object.fromEntries([..."\t\u00a0\u2009"].map((space) => [space, " "])),
  ...Object.fromEntries([..."\u200b\ufeff"].map((invisible) => [invisible, ""])),
  ...{ "…": "...", "•": "*", "·": "." },
};

/** A letter with a separate accent as one character, if GSM-7 has that. */
const composed = (text: string): string =>
  text.replace(/\P{M}\p{M}+/gu, (letter) => {
    const one = letter.normalize("NFC");
    return encodeGsm7(one) === null ? letter : one;
  });

/** The text with smart encoding. */
export function smartened(text: string): string {
  if (encodeGsm7(text) !== null) return text;
  const replaced = [...composed(text)].map((character) => SUBSTITUTES[character] ?? character).join("");
  const isWorse = encodingOf(replaced).segments > encodingOf(text).segments || length(replaced) > BODY_MAX;
  return isWorse || replaced === "" ? text : replaced;
}

/** Input that has texts. `variables` null: omitted. `smart` null: omitted. */
export type TextInput = {
  to: string[];
  body: string;
  smart: boolean | null;
  variables: Record<string, string>[] | null;
};

/** The fields of a request. */
export const textFields = ({ body, smart, variables }: TextInput) => ({
  body,
  ...(smart === null ? {} : { smart_encoding: smart }),
  ...(variables === null ? {} : { variables }),
});

/** Refusals of the fields themselves. */
export function refusalsOfFields({ body, variables }: TextInput): Refusal[] {
  const values = variables?.flatMap((each) => Object.values(each)) ?? [];
  return [
    ...(body === "" || length(body) > BODY_MAX ? [{ status: 400, reason: null, param: "body" }] : []),
    ...(values.some((value) => length(value) > BODY_MAX) ? [{ status: 400, reason: null }] : []),
  ];
}

/** The placeholders replaced; null: one has no value. */
function filled(body: string, values: Record<string, string>): string | null {
  const names = [...body.matchAll(/\{\{ *(\w+) *\}\}/g)].map(([, name = ""]) => name);
  if (names.some((name) => values[name] === undefined)) return null;
  return body.replace(/\{\{ *(\w+) *\}\}/g, (_, name: string) => values[name] ?? "");
}

/** The text of each recipient; null: the variables do not fit. */
export function textsOf({ to, body, smart, variables }: TextInput): string[] | null {
  const final = (text: string) => (smart ? smartened(text) : text);
  if (variables === null) return to.map(() => final(body));
  if (variables.length !== to.length) return null;
  const texts = variables.map((values) => filled(body, values));
  return texts.every((text) => text !== null && text !== "" && length(text) <= BODY_MAX)
    ? texts.map((text) => final(text ?? ""))
    : null;
}

/** The texts that an estimate counts: `body` as it is, if the variables do not fit. */
export const countedTexts = (input: TextInput): string[] =>
  textsOf(input) ?? input.to.map(() => (input.smart ? smartened(input.body) : input.body));
