/** Rules that turn what the generator wrote of a zod schema into what a reader of the API document wants to see. */

export type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `X or null` as one schema with two types, when X has one; keeps the outer description. */
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

/** Formats that say more than the pattern that zod checks them with. */
const SPEAKING_FORMATS = new Set(["date-time", "email", "uri"]);

/**
 * A schema without noise: no pattern beside a format that says it, no bounds that are only those of the number type,
 * nullable values as one schema.
 */
export function tidy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (!isObject(schema)) return schema;
  const { pattern, ...rest } = schema;
  const kept = Object.entries(rest).filter(([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER);
  const tidied = Object.fromEntries(kept.map(([name, value]) => [name, tidy(value)]));
  const speaks = pattern === undefined || SPEAKING_FORMATS.has(String(schema.format));
  return mergeNull(speaks ? tidied : { ...tidied, pattern });
}

/** A page's two halves stand side by side in the envelope, as the REST edge puts them; all else is its `data`. */
export function envelopeOf<Part>(parts: Record<string, Part> | undefined, whole: Part): Record<string, Part> {
  if (parts?.items === undefined || parts.pagination === undefined) return { data: whole };
  return { data: parts.items, pagination: parts.pagination };
}
