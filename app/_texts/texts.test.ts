import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "@swc/core";
import { expect, test } from "vitest";

/** A node of the syntax tree, as far as this test reads it. */
type Node = { type: string; [field: string]: unknown };

const APP = path.join(import.meta.dirname, "..");
/** Attributes and properties whose strings people read. */
const READ_BY_PEOPLE =
  /^(aria-label|aria-description|alt|title|label|description|placeholder|empty|hint|submit|legend|header|heading|action|message|notice|warning|failure|missing|copyLabel|navigationLabel|showAll|unit|name|confirmLabel|cancelLabel|fallback|children|error)$/;
/** Strings that need no translation: protocols, code, products. Each with the file that shows it. */
const NOT_TEXT: Record<string, readonly string[]> = {
  "(console)/messages/[id]/_components/curl.ts": [
    "curl -X POST",
    '-H "Authorization: Bearer $API_KEY"',
    '-H "Content-Type: application/json"',
  ],
  "(console)/send/many/_components/recipients-card.tsx": ["name,phone Ann,+14155550123"],
  "_trpc/test-mode.ts": ["; Path=/; SameSite=Lax"],
  "_ui/view/cookie-switch.ts": ["; Path=/; SameSite=Lax; Max-Age="],
  "_ui/values/provider-name.ts": ["Africa’s Talking"],
  // Failures that nobody is shown in these words.
  "docs/_components/reference.tsx": [
    "The reference library did not start.",
    "The reference library could not be loaded.",
  ],
  "docs/_guides/read-guide.ts": [".md does not begin with a title."],
};

const sources = readdirSync(APP, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
);
const files = sources.filter((file) => !file.startsWith("_texts/"));
const textsFiles = sources.filter((file) => file.startsWith("_texts/"));

const trees = new Map<string, Node>();

function parse(file: string): Node {
  const text = () => readFileSync(path.join(APP, file), "utf8");
  const tree = trees.get(file) ?? (parseSync(text(), { syntax: "typescript", tsx: file.endsWith("x") }) as never);
  trees.set(file, tree);
  return tree;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Calls `visit` with each node below `value`, and with that node's ancestors. `visit` returns false to skip its children. */
function walk(
  value: unknown,
  visit: (node: Node, above: readonly Node[]) => boolean,
  above: readonly Node[] = [],
): void {
  if (Array.isArray(value)) for (const entry of value) walk(entry, visit, above);
  else if (typeof value === "object" && value !== null) {
    if (isNode(value) && !visit(value, above)) return;
    const next = isNode(value) ? [...above, value] : above;
    for (const [field, child] of Object.entries(value)) if (field !== "span") walk(child, visit, next);
  }
}

/** Whether a string reads as words: two letters in a row, and a capital or a space. */
const isWords = (text: string): boolean => /[a-z]{2}/i.test(text) && (/^\s*[A-Z]/.test(text) || /\S\s+\S/.test(text));

/** True of imports and types, but not of an expression with a declared type. */
const isNoCode = ({ type }: Node): boolean =>
  /^(Import|Ts)/.test(type) && !/^Ts(As|Satisfies|NonNull)Expression$|^TsConstAssertion$/.test(type);

const nameOf = (node: Node): string => {
  const key = (node.name ?? node.key) as Node | undefined;
  return String(key?.value ?? "");
};

/** The words in a file's markup, in attributes or properties that people read, and in templates. */
function wordsIn(file: string): string[] {
  const found: string[] = [];
  const take = (text: unknown) => {
    if (typeof text !== "string" || !isWords(text)) return;
    const words = text.trim().replace(/\s+/g, " ");
    if (!NOT_TEXT[file]?.includes(words)) found.push(words);
  };
  walk(parse(file), (node, above) => {
    if (node.type === "JSXText" && /[a-z]{2}/i.test(String(node.value))) found.push(String(node.value).trim());
    const isRead =
      /^(JSXAttribute|KeyValueProperty|AssignmentPatternProperty)$/.test(node.type) &&
      READ_BY_PEOPLE.test(nameOf(node));
    if (isRead) {
      walk(node.value, (inner) => {
        if (inner.type === "StringLiteral") take(inner.value);
        return !/Function|Call|Member|Binary/.test(inner.type);
      });
    }
    const isSentence = node.type === "StringLiteral" && /^[A-Z].*[a-z] .*[a-z]/.test(String(node.value));
    const isChild = node.type === "StringLiteral" && above.some(({ type }) => type === "JSXExpressionContainer");
    if (isSentence || (isChild && !above.some(({ type }) => /JSXAttribute|Call|Member|Binary/.test(type))))
      take(node.value);
    const isClass = above.some((outer) => outer.type === "JSXAttribute" && nameOf(outer) === "className");
    if (node.type === "TemplateLiteral" && !isClass) for (const part of node.quasis as Node[]) take(part.cooked);
    return !isNoCode(node);
  });
  return found;
}

/** The names under which a file imports texts, each with the texts file. */
function textsOf(file: string): Map<string, string> {
  const texts = new Map<string, string>();
  walk(parse(file), (node) => {
    const [, from] =
      (node.type === "ImportDeclaration" && /\/_texts\/(.+)$/.exec(String((node.source as Node).value))) || [];
    if (from) for (const each of node.specifiers as Node[]) texts.set(String((each.local as Node).value), from);
    return node.type === "Module";
  });
  return texts;
}

/** The texts that a file reads when it is loaded, before the language of a page is known. */
function readTooEarly(file: string): string[] {
  const texts = textsOf(file);
  const found: string[] = [];
  walk(parse(file), (node) => {
    const object = node.type === "MemberExpression" ? (node.object as Node) : undefined;
    if (object?.type === "Identifier" && texts.has(String(object.value))) found.push(String(object.value));
    return !/Function|Method|Getter/.test(node.type) && !isNoCode(node);
  });
  return found;
}

/** The keys of a texts file, such as `create.title`, except those of a record with a declared type. */
function keysOf(file: string): string[] {
  const keys: string[] = [];
  const take = (object: Node, before: string) => {
    for (const property of object.properties as Node[]) {
      const key = before + (property.type === "Identifier" ? String(property.value) : nameOf(property));
      if (isNode(property.value) && property.value.type === "ObjectExpression") take(property.value, `${key}.`);
      else keys.push(key);
    }
  };
  walk(parse(file), (node) => {
    const init = node.type === "VariableDeclarator" && (node.id as Node).value === "en" ? (node.init as Node) : null;
    if (init?.type === "ObjectExpression") take(init, "");
    return !/Function/.test(node.type);
  });
  return keys;
}

/** `create.title` for `texts.create.title`; `states` for `texts.states[state].label`, which may be any state. */
function pathOf(node: Node): { root: string; keys: string[]; isOpen: boolean } | null {
  if (node.type === "Identifier") return { root: String(node.value), keys: [], isOpen: false };
  const inner = node.type === "MemberExpression" ? pathOf(node.object as Node) : null;
  if (!inner || inner.isOpen) return inner;
  const property = node.property as Node;
  if (property.type !== "Identifier") return { ...inner, isOpen: true };
  return { ...inner, keys: [...inner.keys, String(property.value)] };
}

/** The keys of each texts file that pages read. */
function readsOfAll(): Map<string, Set<string>> {
  const reads = new Map(textsFiles.map((file) => [file.replace(/^_texts\/|\.tsx?$/g, ""), new Set<string>()]));
  for (const file of files) {
    const texts = textsOf(file);
    if (texts.size === 0) continue;
    walk(parse(file), (node, above) => {
      const outer = above.at(-1);
      const isInner = outer?.type === "MemberExpression" && (outer.object === node || outer.property === node);
      const read = isInner ? null : pathOf(node);
      if (read) reads.get(texts.get(read.root) ?? "")?.add(read.keys.join("."));
      return !isNoCode(node);
    });
  }
  return reads;
}

const reads = readsOfAll();

test.each(textsFiles)("%s has no unused text", (file) => {
  const read = reads.get(file.replace(/^_texts\/|\.tsx?$/g, "")) ?? new Set();
  const isRead = (key: string) => {
    const parts = key.split(".");
    return read.has("") || parts.some((_, at) => read.has(parts.slice(0, at + 1).join(".")));
  };
  expect(keysOf(file).filter((key) => !isRead(key))).toEqual([]);
});

test.each(files)("%s has its texts in app/_texts", (file) => {
  expect(wordsIn(file)).toEqual([]);
});

test.each(files)("%s reads its texts while it is rendered", (file) => {
  expect(readTooEarly(file)).toEqual([]);
});
