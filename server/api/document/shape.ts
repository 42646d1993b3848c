/** Simplifies the schemas that the generator makes from zod, for readers of the API document. */

export type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Turns `X or null` into one schema with two types, if X has one type; keeps the outer description. */
function mergeNull({ anyOf, ...outer }: Json): Json {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return anyOf ? { ...outer, anyOf } : outer;
  const [inner, other] = anyOf as [Json, Json];
  if (other.type !== "null" || typeof inner.type !== "string" || inner.type === "object") return { ...outer, anyOf };
  return {
    ...inner,
    ...outer,
    type: [inner.type, "null"],
    ...(Array.isArray(inner.enum) ? { enum: [...inner.enum, null] } : {}),
  };
}

/** Formats that make zod's pattern redundant. */
const PATTERN_FORMATS = new Set(["date-time", "email", "uri"]);

/**
 * Removes redundancy: patterns implied by a format, bounds that equal those of the number type, and `anyOf` for nullable values.
 * Allows additional fields in closed objects: fields may be added to responses at any time.
 */
export function tidy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (!isObject(schema)) return schema;
  const { pattern, ...rest } = schema;
  const kept = Object.entries(rest).filter(
    ([name, value]) =>
      Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER && !(name === "additionalProperties" && value === false),
  );
  const tidied = Object.fromEntries(kept.map(([name, value]) => [name, tidy(value)]));
  const isRedundant = pattern === undefined || PATTERN_FORMATS.has(String(schema.format));
  return mergeNull(isRedundant ? tidied : { ...tidied, pattern });
}

/** Places `items` and `pagination` of a page next to each other in the envelope, as the REST edge does; all else is `data`. */
export function envelopeOf<Part>(parts: Record<string, Part> | undefined, whole: Part): Record<string, Part> {
  if (parts?.items === undefined || parts.pagination === undefined) return { data: whole };
  return { data: parts.items, pagination: parts.pagination };
}
