/** Writes values as literals in the languages of the code samples. */

type Syntax = {
  string: (text: string) => string;
  none: string;
  yes: string;
  no: string;
  list: [open: string, close: string];
  object: [open: string, close: string];
  key: (name: string) => string;
};

const JS: Syntax = {
  string: (text) => JSON.stringify(text),
  ...{ none: "null", yes: "true", no: "false" },
  list: ["[", "]"],
  object: ["{ ", " }"],
  key: (name) => `${name}: `,
};

const PYTHON: Syntax = {
  // Python reads all escapes of JSON in the same way.
  string: (text) => JSON.stringify(text),
  ...{ none: "None", yes: "True", no: "False" },
  list: ["[", "]"],
  object: ["{", "}"],
  key: (name) => `${JSON.stringify(name)}: `,
};

const PHP: Syntax = {
  string: (text) => `'${text.replace(/[\\']/g, "\\$&")}'`,
  ...{ none: "null", yes: "true", no: "false" },
  list: ["[", "]"],
  object: ["[", "]"],
  key: (name) => `'${name}' => `,
};

function literal(value: unknown, syntax: Syntax): string {
  const wrap = ([open, close]: [string, string], items: string[]) => `${open}${items.join(", ")}${close}`;
  if (typeof value === "string") return syntax.string(value);
  if (typeof value === "boolean") return value ? syntax.yes : syntax.no;
  if (value === null || value === undefined) return syntax.none;
  if (Array.isArray(value)) {
    return wrap(
      syntax.list,
      value.map((item) => literal(item, syntax)),
    );
  }
  if (typeof value === "object") {
    const items = Object.entries(value).map(([name, item]) => `${syntax.key(name)}${literal(item, syntax)}`);
    return wrap(syntax.object, items);
  }
  return String(value);
}

export const inJs = (value: unknown): string => literal(value, JS);
export const inPython = (value: unknown): string => literal(value, PYTHON);
export const inPhp = (value: unknown): string => literal(value, PHP);

/** A word for a shell, in single quotes. */
export const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A string of Go: raw where it can be, because JSON is full of quotes. */
export const inGo = (text: string): string => (text.includes("`") ? JSON.stringify(text) : `\`${text}\``);

const PYTHON_KEYWORDS = new Set(["from", "import", "class", "in", "is", "not", "or", "and", "if", "for"]);

/** `from` -> `from_`: the Python client drops a trailing underscore. */
export const pythonName = (name: string): string => (PYTHON_KEYWORDS.has(name) ? `${name}_` : name);

/** `sendBulk` -> `send_bulk`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
