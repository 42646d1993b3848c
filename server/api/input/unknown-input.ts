/** Unknown and repeated fields and query parameters: they are ignored, but never silently. */
import { type ApiError, invalidRequest } from "../../core/errors";
import { shownName } from "../../core/input-issues";

/** The caller's `Prefer: handling=…` (RFC 7240, 4.4); null: none. */
export type Handling = "strict" | "lenient" | null;

/** One entry of `meta.warnings`. */
export type Warning = { code: "unknown_parameter" | "repeated_parameter"; param: string; message: string };

export const WARNINGS_MAX = 20;
/** Longest name that is compared with the known ones. */
const NAME_MAX = 100;

/** The preference `handling` of a Prefer header, in any case; if there are several, the first counts. */
export function handlingOf(prefer: string | undefined): Handling {
  if (prefer === undefined) return null;
  for (const preference of prefer.split(",")) {
    const [name = "", value = ""] = (preference.split(";")[0] ?? "").split("=");
    if (name.trim().toLowerCase() !== "handling") continue;
    const handling = value
      .trim()
      .replace(/^"(.*)"$/, "$1")
      .toLowerCase();
    return handling === "strict" || handling === "lenient" ? handling : null;
  }
  return null;
}

/** The names of `given` that are not in `known`, in their order. */
export const unknownNames = (given: Iterable<string>, known: ReadonlySet<string>): string[] => {
  const unknown: string[] = [];
  for (const name of given) if (!known.has(name)) unknown.push(name);
  return unknown;
};

const lettersOf = (name: string): string =>
  name
    .slice(0, NAME_MAX)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");

/** The known name that differs only in case and separators, as `routeId` and `route_id` do. */
function meantBy(name: string, known: ReadonlySet<string>): string {
  const letters = lettersOf(name);
  for (const each of known) if (lettersOf(each) === letters) return `; did you mean \`${each}\`?`;
  return "";
}

/**
 * The warnings of unknown names, at most 20.
 * @param place of the names, as in `is not a field of this request`.
 */
export const warningsOf = (
  names: readonly string[],
  place: "a field of this request" | "a query parameter of this operation",
  known: ReadonlySet<string>,
): Warning[] =>
  names.slice(0, WARNINGS_MAX).map((name) => ({
    code: "unknown_parameter",
    param: shownName(name),
    message: `is not ${place}, and was ignored${meantBy(name, known)}`,
  }));

/** The warnings of fields that were given more than once. In a query that is always a 400. */
export const repeatedWarnings = (paths: readonly string[]): Warning[] =>
  paths.map((path) => ({
    code: "repeated_parameter",
    param: shownName(path),
    message: "is given more than once, and the last value was taken",
  }));

/** 400 for strict handling, with the code of the first warning as its reason. Names all of them, the first one as `param`. */
export function refusalOf(warnings: readonly Warning[]): ApiError {
  const issues = warnings.map(({ param, message }) => ({
    param,
    message: message.replace(/, and (was ignored|the last value was taken)/, ""),
  }));
  const [first] = issues;
  return invalidRequest(`${first?.param}: ${first?.message}`, {
    param: first?.param,
    reason: warnings[0]?.code,
    details: { issues },
  });
}
