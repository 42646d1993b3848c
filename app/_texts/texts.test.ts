import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "@swc/core";
import { expect, test } from "vitest";

/** A node of the syntax tree, as far as this test reads it. */
type Node = { type: string; [field: string]: unknown };

const APP = path.join(import.meta.dirname, "..");
/** Attributes and properties whose strings people read. */
const READ_BY_PEOPLE =
  /^(aria-label|aria-description|alt|title|label|description|placeholder|empty|hint|submit|legend|header|heading|action|message|notice|warning|failure|missing|copyLabel|navigationLabel|showAll|unit|name)$/;
/** Strings that are no language: protocols, code, products. Each with the file that shows it. */
const NOT_TEXT: Record<string, readonly string[]> = {
  "(operator)/operator/accounts/[id]/ledger-card.tsx": ["small dimmed clip"],
};
/** Folders and files whose texts still stand beside their code. */
const TO_MOVE: readonly string[] = [
  "(auth)",
  "(console)/_credit",
  "(console)/_numbers",
  "(console)/_overview",
  "(console)/_usage",
  "(console)/api-keys",
  "(console)/events",
  "(console)/inbound",
  "(console)/layout.tsx",
  "(console)/messages",
  "(console)/page.tsx",
  "(console)/requests",
  "(console)/send",
  "(console)/senders",
  "(console)/settings",
  "(console)/suppressions",
  "(console)/usage",
  "(console)/webhooks",
  "_shell",
  "_ui/chart-scale.ts",
  "_ui/donut.tsx",
  "_ui/forms",
  "_ui/frame",
  "_ui/icons",
  "_ui/lists",
  "_ui/notice.tsx",
  "_ui/problem.tsx",
  "_ui/stacked-bars.tsx",
  "_ui/stat-card.tsx",
  "_ui/toast.ts",
  "_ui/tooltip.tsx",
  "_ui/values",
  "docs",
  "error.tsx",
  "layout.tsx",
  "not-found.tsx",
  "_trpc",
  "(operator)/layout.tsx",
];

const files = readdirSync(APP, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.startsWith("_texts"))
  .filter((file) => !TO_MOVE.some((place) => file === place || file.startsWith(`${place}/`)));

const parse = (file: string): Node =>
  parseSync(readFileSync(path.join(APP, file), "utf8"), { syntax: "typescript", tsx: file.endsWith("x") }) as never;

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Calls `visit` with each node below `value`, and with the nodes above it. `visit` returns false where it goes no deeper. */
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

/** Whether people would read it as words: two letters in a row, and a capital or a space. */
const isWords = (text: string): boolean => /[a-z]{2}/i.test(text) && (/^\s*[A-Z]/.test(text) || /\S\s+\S/.test(text));

const nameOf = (node: Node): string => {
  const key = (node.name ?? node.key) as Node | undefined;
  return String(key?.value ?? "");
};

/** The words of a file that stand in its markup, in an attribute or property that people read, or in a template. */
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
      (node.type === "JSXAttribute" || node.type === "KeyValueProperty") && READ_BY_PEOPLE.test(nameOf(node));
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
    if (node.type === "TemplateLiteral") for (const part of node.quasis as Node[]) take(part.cooked);
    return !/^(Import|Ts)/.test(node.type);
  });
  return found;
}

/** The texts that a file reads when it is loaded, so before the language of a page is known. */
function readTooEarly(file: string): string[] {
  const texts = new Set<string>();
  const found: string[] = [];
  const tree = parse(file);
  walk(tree, (node) => {
    if (node.type === "ImportDeclaration" && /\/_texts\//.test(String((node.source as Node).value)))
      for (const each of node.specifiers as Node[]) texts.add(String((each.local as Node).value));
    return true;
  });
  walk(tree, (node) => {
    const object = node.type === "MemberExpression" ? (node.object as Node) : undefined;
    if (object?.type === "Identifier" && texts.has(String(object.value))) found.push(String(object.value));
    return !/Function|Method|^Ts|^Import/.test(node.type);
  });
  return found;
}

test.each(files)("%s has its texts in app/_texts", (file) => {
  expect(wordsIn(file)).toEqual([]);
});

test.each(files)("%s reads its texts when it is drawn", (file) => {
  expect(readTooEarly(file)).toEqual([]);
});
