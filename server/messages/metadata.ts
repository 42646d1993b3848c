/** Metadata: pairs of text that callers attach to a message, and find it by. */
import { z } from "zod";
import { OWN_NAME, ownNamed } from "../core/wire";

const PAIRS_MAX = 20;
const KEY_MAX = 40;
const VALUE_MAX = 500;

/** Characters are code points, as in the document. A code point has at most two units. */
const isKeyLength = (key: string): boolean => key !== "" && key.length <= 2 * KEY_MAX && [...key].length <= KEY_MAX;

/** The fault of a key; null: none. */
function keyProblem(key: string): string | null {
  if (key.includes("\0")) return "keys must not contain NUL (U+0000)";
  if (!key.isWellFormed()) return "keys must not contain half of a surrogate pair";
  return isKeyLength(key) ? null : `keys must have 1 to ${KEY_MAX} characters`;
}

const storedPairs = z
  .record(
    z.string().meta({ minLength: 1, maxLength: KEY_MAX, ...OWN_NAME }),
    z.string().max(VALUE_MAX, `must have at most ${VALUE_MAX} characters`),
  )
  .superRefine((given, { addIssue }) => {
    for (const message of new Set(Object.keys(given).map(keyProblem)))
      if (message) addIssue({ code: "custom", message });
  })
  // Checked above, with messages that name the limit.
  .meta({ maxProperties: PAIRS_MAX });

const pairs = ownNamed(storedPairs, { pairsMax: PAIRS_MAX });

export type Metadata = Record<string, string>;

/** Metadata of a request. */
export const MetadataInput = pairs
  .nullish()
  .describe(
    "Up to 20 pairs of your own, keys of 1 to 40 and values of up to 500 characters; returned with the message and in " +
      "webhooks, and filters of the list.",
  );

/** Metadata of a message. */
export const MetadataOutput = z
  .record(z.string(), z.string())
  .nullable()
  .describe("The `metadata` of the send request; null: none.");

/** Filter of a list. */
export const MetadataQuery = pairs
  .optional()
  .describe("Only messages whose metadata has these pairs, each as `metadata[key]=value`.");

/** Metadata of a request in its stored form: null when there is no pair. */
export const givenMetadata = (metadata: Metadata | null | undefined): Metadata | null =>
  metadata && Object.keys(metadata).length > 0 ? metadata : null;
