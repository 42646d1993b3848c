/** The part of a body that may be kept: never a secret, of texts only their length, and of long values the beginning. */

const SECRET = /secret|password|token|authorization|plain_key/i;
const TEXTS: ReadonlySet<string> = new Set(["body", "text", "message"]);
/** Names and passwords in a URL. */
const USER_OF_URL = /^([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#@]{1,200}@/i;

const STRING_MAX = 500;
const ITEMS_MAX = 20;
const FIELDS_MAX = 50;
const DEPTH_MAX = 5;

function maskString(text: string): string {
  const shown = text.replace(USER_OF_URL, "$1[masked]@");
  return shown.length > STRING_MAX
    ? `${shown.slice(0, STRING_MAX)}… [${shown.length} characters]`.toWellFormed()
    : shown;
}

function maskValue(value: unknown, keepsTexts: boolean, depth: number): unknown {
  if (typeof value === "string") return maskString(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEPTH_MAX) return "[…]";
  if (Array.isArray(value)) {
    const shown = value.slice(0, ITEMS_MAX).map((item) => maskValue(item, keepsTexts, depth + 1));
    return value.length > ITEMS_MAX ? [...shown, `[${value.length - ITEMS_MAX} more]`] : shown;
  }
  const fields = Object.entries(value);
  const shown = fields.slice(0, FIELDS_MAX).map(([name, field]) => {
    if (SECRET.test(name)) return [name, "[masked]"];
    if (!keepsTexts && TEXTS.has(name) && typeof field === "string")
      return [name, `[masked: ${field.length} characters]`];
    return [name, maskValue(field, keepsTexts, depth + 1)];
  });
  if (fields.length > FIELDS_MAX) shown.push(["…", `[${fields.length - FIELDS_MAX} more]`]);
  return Object.fromEntries(shown);
}

/** The body of a request for the log, as JSON. @param keepsTexts whether texts of messages may be kept. */
export const maskBody = (body: unknown, keepsTexts: boolean): string =>
  JSON.stringify(maskValue(body, keepsTexts, 0)).replaceAll("\\u0000", "");
