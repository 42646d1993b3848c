/** The part of a request that may be kept: no secrets, only the lengths of texts, and only the beginning of long values. */

const SECRET = /secret|password|token|authorization|plain_key|api[-_]?key(?![-_]?id)/i;
/** Our own keys and signing secrets, whole or in part, as they are or encoded for a URL. */
const OURS = /ds(?:_|%5f)(?:live|test)(?:_|%5f)[0-9a-z]+|whsec(?:_|%5f)(?:[0-9a-z+/]|%2[bf])+(?:=|%3d){0,2}/gi;
/** Fields with texts of messages, under the names of other services too, or with the values that fill texts. */
const TEXTS: ReadonlySet<string> = new Set(["body", "text", "message", "content", "variables"]);
/** Names and passwords in a URL. */
const USER_OF_URL = /^([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#@]{1,200}@/i;

const STRING_MAX = 500;
const ITEMS_MAX = 20;
const FIELDS_MAX = 50;
const DEPTH_MAX = 5;

/** PostgreSQL stores no NUL. */
const withoutNul = (text: string): string => text.replaceAll("\0", "");

/** A text without API keys and signing secrets of ours, which callers may put anywhere: the log is also for people who may use none. */
export const withoutSecrets = (text: string): string => text.replace(OURS, "[masked]");

function maskString(text: string): string {
  const shown = withoutSecrets(withoutNul(text)).replace(USER_OF_URL, "$1[masked]@");
  return shown.length > STRING_MAX
    ? `${shown.slice(0, STRING_MAX)}… [${shown.length} characters]`.toWellFormed()
    : shown;
}

const isText = (name: string): boolean => TEXTS.has(name.toLowerCase());

/** @param isHidden whether the value is a text, or below one: the request may be wrong. */
function maskValue(value: unknown, hidesTexts: boolean, isHidden: boolean, depth: number): unknown {
  if (isHidden && (typeof value === "string" || typeof value === "number"))
    return `[masked: ${String(value).length} characters]`;
  if (typeof value === "string") return maskString(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEPTH_MAX) return "[…]";
  if (Array.isArray(value)) {
    const shown = value.slice(0, ITEMS_MAX).map((item) => maskValue(item, hidesTexts, isHidden, depth + 1));
    return value.length > ITEMS_MAX ? [...shown, `[${value.length - ITEMS_MAX} more]`] : shown;
  }
  const fields = Object.entries(value);
  const shown = fields.slice(0, FIELDS_MAX).map(([given, field]) => {
    const name = withoutSecrets(withoutNul(given));
    if (SECRET.test(name)) return [name, "[masked]"];
    return [name, maskValue(field, hidesTexts, isHidden || (hidesTexts && isText(name)), depth + 1)];
  });
  if (fields.length > FIELDS_MAX) shown.push(["…", `[${fields.length - FIELDS_MAX} more]`]);
  return Object.fromEntries(shown);
}

/** The body of a request for the log, as JSON. @param keepsTexts whether texts of messages may be kept. */
export const maskBody = (body: unknown, keepsTexts: boolean): string =>
  JSON.stringify(maskValue(body, !keepsTexts, false, 0));

const DELETED = "[deleted]";

/** A kept body with its texts deleted, however they were kept. @param body as {@link maskBody} made it. */
export const withoutTexts = (body: string): string =>
  JSON.stringify(JSON.parse(body), (name, value) => (isText(name) ? DELETED : value));

/** The name of a parameter, that of its object for a pair such as `metadata[key]`. */
const nameOf = (pair: string): string => [...new URLSearchParams(pair).keys()][0]?.split("[")[0] ?? "";

/** The query of a request for the log. Nothing takes a text there, but callers may put one. @param keepsTexts as above. */
export const maskQuery = (query: string, keepsTexts: boolean): string =>
  withoutSecrets(
    query
      .split("&")
      .map((pair) => {
        const name = nameOf(pair);
        const isKept = !SECRET.test(name) && (keepsTexts || !isText(name));
        return isKept ? pair : `${pair.split("=")[0]}=[masked]`;
      })
      .join("&"),
  );
