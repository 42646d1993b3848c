/**
 * Finds names that an object in a JSON text has more than once. JSON.parse silently keeps the last value of such a name, but a proxy
 * in front may have checked the first (RFC 8259, 4).
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** No operation takes objects that are nested more deeply, so deeper names are not compared. */
const DEPTH_MAX = 4;
const FOUND_MAX = 20;

/** The position of the quote that closes the text that begins with the quote at `start`. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

/** A list or object around the current position. `name`: the name whose value is being read; `at`: the index in a list. */
type Around = { names: Set<string> | null; name: string; at: number };

/** The path of a name in the objects and lists around it, as in `variables[1].code`. */
const pathOf = (around: readonly Around[], name: string): string =>
  [...around.slice(0, -1).map(({ names, name: outer, at }) => (names ? outer : `[${at}]`)), name]
    .map((part, at) => (at === 0 || part.startsWith("[") ? part : `.${part}`))
    .join("");

/** Counts the names in the objects of a value, except those nested more deeply than {@link DEPTH_MAX}. */
function countNames(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null || depth === DEPTH_MAX) return 0;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let names = Array.isArray(value) ? 0 : parts.length;
  for (const part of parts) names += countNames(part, depth + 1);
  return names;
}

/** Whether a body has more than `max` colons, inside or outside of its texts. */
function hasMoreColons(body: Buffer, max: number): boolean {
  let colons = 0;
  for (let at = body.indexOf(COLON); at !== -1 && colons <= max; at = body.indexOf(COLON, at + 1)) colons += 1;
  return colons > max;
}

/**
 * The repeated names of a body with their paths, each once and at most 20. A colon follows every name, so a body needs no closer
 * look if it has no more colons than its value has names, which is true of most.
 * @param body valid JSON in UTF-8.
 * @param value the parsed body.
 */
export const repeatedNames = (body: Buffer, value: unknown): string[] =>
  hasMoreColons(body, countNames(value, 0)) ? findRepeated(body.toString("utf8")) : [];

function findRepeated(json: string): string[] {
  const found = new Set<string>();
  const around: Around[] = [];
  let depth = 0;
  let isName = false;
  for (let at = 0; at < json.length; at += 1) {
    const inner = depth <= DEPTH_MAX ? around[depth - 1] : undefined;
    switch (json.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfText(json, at);
        if (isName && inner?.names) {
          const raw = json.slice(at + 1, end);
          inner.name = raw.includes("\\") ? String(JSON.parse(`"${raw}"`)) : raw;
          if (inner.names.has(inner.name) && found.size < FOUND_MAX) found.add(pathOf(around, inner.name));
          inner.names.add(inner.name);
        }
        at = end;
        break;
      }
      case COLON:
        isName = false;
        break;
      case COMMA:
        isName = inner?.names != null;
        if (inner) inner.at += 1;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST: {
        isName = json.charCodeAt(at) === OPEN_OBJECT;
        if (depth < DEPTH_MAX) around.push({ names: isName ? new Set() : null, name: "", at: 0 });
        depth += 1;
        break;
      }
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (depth <= DEPTH_MAX) around.pop();
        depth -= 1;
        break;
      default:
    }
  }
  return [...found];
}
