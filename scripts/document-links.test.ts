/** Checks the links of documents for readers of the source. The guides of the site have their own tests. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const DOCUMENTS = [
  ...[
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "bench/README.md",
    "e2e/prove/README.md",
    "sdk/README.md",
  ],
  ...["architecture", "glossary", "invariants", "operations", "proof", "scaling", "security", "testing"].map(
    (name) => `docs/${name}.md`,
  ),
  ...readdirSync("docs/decisions").map((name) => path.join("docs", "decisions", name)),
];

/** Anchors of a file's headings: lower case, without punctuation, words joined by hyphens. */
const headingsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test.each(DOCUMENTS)("every link of %s leads somewhere", (file) => {
  for (const [, target = ""] of readFileSync(file, "utf8").matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [name = "", heading] = target.split("#");
    const linked = name === "" ? file : path.join(path.dirname(file), name);
    expect(existsSync(linked), target).toBe(true);
    if (heading) expect(headingsOf(linked), target).toContain(heading);
  }
});

test("every runbook of an alert, and every section that a log line refers to, is in docs/operations.md", () => {
  const rules = readFileSync("deploy/prometheus/alerts.yml", "utf8");
  const runbooks = [...rules.matchAll(/runbook: docs\/operations\.md#(\S+)/g)].map(([, heading = ""]) => heading);
  expect(runbooks.length).toBe(rules.match(/- alert:/g)?.length);
  const anchors = headingsOf("docs/operations.md");
  expect(runbooks.filter((heading) => !anchors.includes(heading))).toEqual([]);
  const sources = ["server", "worker", "prisma", "scripts"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => readFileSync(path.join(folder, name), "utf8")),
  );
  const sections = sources.flatMap((source) =>
    [...source.matchAll(/\bdocs\/operations\.md, ([A-Z][\w ]+)/g)].map(([, title = ""]) => title.toLowerCase()),
  );
  expect(sections.length).toBeGreaterThan(4);
  expect(sections.filter((title) => !anchors.includes(title.replaceAll(" ", "-")))).toEqual([]);
});

test.each(DOCUMENTS.filter((file) => file !== "CHANGELOG.md"))(
  "%s names only files of this project that exist",
  (file) => {
    const named = [
      ...readFileSync(file, "utf8").matchAll(
        /`((?:app|bench|deploy|docs|e2e|prisma|scripts|sdk|server|test|worker)\/[\w/.@()-]+)`/g,
      ),
    ];
    const missing = named.filter(([, name = ""]) => !existsSync(name) && !existsSync(`${name}.ts`));
    expect(missing.map(([, name]) => name)).toEqual([]);
  },
);

describe("docs/architecture.md", () => {
  const text = readFileSync("docs/architecture.md", "utf8");

  test("names only folders and files that exist", () => {
    const rooms = [...text.matchAll(/\b(?:server|worker|app)\/(?:[a-z_-]+|\([a-z]+\)|\/)*/g)].map(([room]) => room);
    expect(rooms.length).toBeGreaterThan(20);
    // The pattern stops before a file's extension.
    const missing = rooms.filter((room) => !existsSync(room) && !existsSync(`${room}.ts`));
    expect([...new Set(missing)]).toEqual([]);
  });

  test("has no semicolon in a sequence, where Mermaid would end the step", () => {
    const sequences = [...text.matchAll(/```mermaid\nsequenceDiagram\n(.*?)```/gs)].map(([, steps = ""]) => steps);
    expect(sequences.length).toBe(4);
    for (const steps of sequences) expect(steps).not.toContain(";");
  });
});
