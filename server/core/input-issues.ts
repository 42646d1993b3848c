/** Sentences about input that the schemas of an operation refuse, for the callers who sent it. */

/** A text in one line, even when it quotes the caller's control characters. */
export const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ");

/** A response lists at most this many issues, however many recipients are bad. */
const ISSUES_MAX = 20;

type Issue = {
  path: PropertyKey[];
  message: string;
  code?: string;
  origin?: string;
  expected?: string;
  format?: string;
  minimum?: number | bigint;
  maximum?: number | bigint;
  inclusive?: boolean;
  values?: unknown[];
  keys?: string[];
  /** The problem with a name. */
  issues?: Issue[];
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  email: "an email address",
  url: "a URL",
  datetime: "a date and time in ISO 8601 with its offset, such as 2026-01-31T12:00:00Z",
};

/** Our own texts begin with a small letter and are complete; those of the schema library are for programmers. */
const isOurs = (message: string): boolean => /^[a-z`]/.test(message);

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
};

/** A bound in words: of the length of a text or list, or of a number. */
function boundText({ origin, minimum, maximum, inclusive = true }: Issue): string {
  const side = maximum === undefined ? "least" : "most";
  const limit = maximum ?? minimum;
  const unit = UNITS[origin ?? ""];
  if (unit && limit === 1 && side === "least") return "must not be empty";
  if (unit) return `must have at ${side} ${limit} ${unit[Number(limit) === 1 ? 0 : 1]}`;
  if (inclusive) return `must be at ${side} ${limit}`;
  return `must be ${side === "least" ? "more" : "less"} than ${limit}`;
}

/** Longest name that is quoted to its sender. */
const NAME_MAX = 100;

/** A name that a caller chose, as shown to them: one line of limited length. */
export const shownName = (name: string): string =>
  oneLine(name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name).toWellFormed();

/** Says for people what is wrong with an input; the text follows the name of the field. */
function issueText(issue: Issue): string {
  if (isOurs(issue.message)) return issue.message;
  switch (issue.code) {
    case "too_big":
    case "too_small":
      return boundText(issue);
    case "invalid_type":
      if (issue.message.endsWith("received undefined")) return "is required";
      return `must be ${TYPE_NAMES[issue.expected ?? ""] ?? issue.expected}`;
    case "invalid_format":
      return FORMAT_NAMES[issue.format ?? ""] ? `must be ${FORMAT_NAMES[issue.format ?? ""]}` : "has the wrong form";
    case "invalid_value":
      return issue.values?.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values?.map(String).join(", ")}`;
    case "unrecognized_keys":
      return `has unknown fields: ${issue.keys?.slice(0, ISSUES_MAX).map(shownName).join(", ")}`;
    case "invalid_key": {
      const [wrong] = issue.issues ?? [];
      return `its name ${wrong ? issueText(wrong) : "has the wrong form"}`;
    }
    default:
      return issue.message;
  }
}

/** Whether an issue is about the bound of all whole numbers, which the schema library checks before the field's own. */
const isOfAllNumbers = ({ minimum, maximum }: Issue): boolean =>
  maximum === Number.MAX_SAFE_INTEGER || minimum === Number.MIN_SAFE_INTEGER;

/** The issues of a failure of the schema library, without those that only follow from others; none for any other failure. */
function issuesOf(thrown: unknown): Issue[] {
  if (typeof thrown !== "object" || thrown === null || !("issues" in thrown) || !Array.isArray(thrown.issues))
    return [];
  const issues = thrown.issues as Issue[];
  // A list given for a text also has a length, which the schema library then compares with the bounds of the text.
  const ofOtherType = new Set(issues.flatMap(({ code, path }) => (code === "invalid_type" ? [path.join()] : [])));
  return issues.filter(
    (issue, at) =>
      (issue.code === "invalid_type" || !ofOtherType.has(issue.path.join())) &&
      (!isOfAllNumbers(issue) || issues[at + 1]?.path.join() !== issue.path.join()),
  );
}

/** `["recipients", 3]` -> `recipients[3]`, as the caller would write it; long names are cut. */
const paramOf = (path: PropertyKey[]): string | null =>
  path.length === 0
    ? null
    : path
        .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${shownName(String(part))}`))
        .join("");

/**
 * The issues of an input that was refused by its schema, at most {@link ISSUES_MAX}; none when `thrown` is another failure.
 * @returns `param`: the field as the caller wrote it, null: the whole input; `message`: what is wrong with it, to follow its name.
 */
export const inputIssuesOf = (thrown: unknown): { param: string | null; message: string }[] =>
  issuesOf(thrown)
    .slice(0, ISSUES_MAX)
    .map((issue) => ({ param: paramOf(issue.path), message: issueText(issue) }));
