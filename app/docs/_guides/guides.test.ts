import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { marked, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { GUIDES } from "@/server/api/document/guides";
import { headingId, readGuide, siteHref } from "./read-guide";

/** Every token of a text, nested ones included. */
const flatten = (tokens: Token[]): Token[] => {
  const all: Token[] = [];
  marked.walkTokens(tokens, (token) => {
    all.push(token);
  });
  return all;
};

const idsOf = async (slug: string): Promise<string[]> =>
  flatten((await readGuide(slug)).tokens).flatMap((token) => (token.type === "heading" ? [headingId(token.text)] : []));

/** Pages about the source and the tests, not about the API. */
const ABOUT_THE_SOURCE = new Set([
  "architecture.md",
  "glossary.md",
  "invariants.md",
  "proof.md",
  "security.md",
  "testing.md",
  // For operators, who have the source.
  "operations.md",
  "scaling.md",
]);

test("every guide in docs/ is on the site, and every guide of the site is in docs/", () => {
  const files = readdirSync("docs").filter((name) => name.endsWith(".md") && !ABOUT_THE_SOURCE.has(name));
  expect(files.sort()).toEqual(GUIDES.map(({ slug }) => `${slug}.md`).sort());
});

describe.each(GUIDES)("$slug", ({ slug }) => {
  test("has a title and only tokens that the site can render", async () => {
    const { title, tokens } = await readGuide(slug);
    expect(title).not.toBe("");
    const rendered = ["heading", "paragraph", "strong", "em", "codespan", "code", "link", "list", "list_item", "table"];
    const known = new Set([...rendered, "blockquote", "hr", "br", "space", "text", "escape"]);
    expect(flatten(tokens).flatMap(({ type }) => (known.has(type) ? [] : [type]))).toEqual([]);
  });

  test("has no broken links", async () => {
    const { tokens } = await readGuide(slug);
    for (const token of flatten(tokens)) {
      if (token.type !== "link") continue;
      const [, guide, id] = /^\/docs\/([a-z-]+)(?:#(.+))?$/.exec(siteHref(token.href) ?? "") ?? [];
      if (guide) expect(GUIDES.map((entry) => entry.slug)).toContain(guide);
      if (guide && id) expect(await idsOf(guide), token.href).toContain(id);
      if (siteHref(token.href) === null) expect(existsSync(path.join("docs", token.href)), token.href).toBe(true);
    }
  });
});

test("links lead to the same guide on the site as they do between the files", () => {
  expect(siteHref("errors.md")).toBe("/docs/errors");
  expect(siteHref("errors.md#reasons")).toBe("/docs/errors#reasons");
  expect(siteHref("https://example.com")).toBe("https://example.com");
  expect(siteHref("#reasons")).toBe("#reasons");
  expect(siteHref("../README.md")).toBeNull();
});

describe("the guide to errors", () => {
  const guide = readFileSync("docs/errors.md", "utf8");
  const sources = readdirSync("server", { recursive: true, encoding: "utf8" })
    // Samples of providers' responses hold the providers' own fields.
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith("wire-samples.ts"))
    .map((name) => readFileSync(path.join("server", name), "utf8"));

  test("lists every reason that the service returns", () => {
    // Webhook verification, suppressions and refused callbacks have their own `reason`, which is not an error's.
    const own = new Set(["malformed", "mismatch", "outside_tolerance", "stop", "manual", "replayed"]);
    const reasons = sources.flatMap((source) =>
      [...source.matchAll(/reason: "([a-z_]+)"/g)].map(([, name]) => name ?? ""),
    );
    expect(reasons.length).toBeGreaterThan(30);
    expect([...new Set(reasons)].filter((name) => !own.has(name) && !guide.includes(`\`${name}\``))).toEqual([]);
  });

  test("lists no reason that does not exist", () => {
    const [, rows = ""] = guide.split("## Reasons\n");
    const named = rows
      .split("\n## ")[0]
      ?.split("\n")
      .flatMap((row) => [...(row.split("|")[2] ?? "").matchAll(/`([a-z_]+)`/g)].map(([, name]) => name ?? ""));
    expect(named?.length).toBeGreaterThan(20);
    const all = sources.join("\n");
    expect(named?.filter((name) => !all.includes(`"${name}"`))).toEqual([]);
  });

  test.each([
    ["Reasons", 2],
    ["Errors of a message", 1],
  ])("lists no name twice under %s", (heading, column) => {
    const [, section = ""] = guide.split(`## ${heading}\n`);
    const rows =
      section
        .split("\n## ")[0]
        ?.split("\n")
        .filter((line) => line.startsWith("|")) ?? [];
    const names = rows.flatMap((row) =>
      [...(row.split("|")[column] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test("lists every code with which the service itself fails a message", () => {
    const blocked = ["blocklisted", "country_not_allowed", "flood_limit", "quiet_hours"];
    for (const code of [
      ...blocked,
      "invalid_recipient",
      "no_route",
      "no_provider_available",
      "provider_outcome_unknown",
    ]) {
      expect(sources.some((source) => source.includes(`"${code}"`))).toBe(true);
      expect(guide).toContain(`\`${code}\``);
    }
  });
});

test("the guide to sending names the providers that say when they received a reply", () => {
  const folder = "server/providers/adapters";
  const saying = readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .filter((name) => /[ .]takenAt\(/.test(readFileSync(path.join(folder, name), "utf8")))
    // A second API of a provider is in a file of its own, `vonage-messages.ts`; that of MessageBird is Bird's.
    .map((name) => name.replace(/\.ts$/, "").replace("bird-channels", "messagebird").split("-")[0] ?? "");
  const [, named = ""] =
    /Some providers say when they received it \(([^)]+)\)/.exec(readFileSync("docs/sending.md", "utf8")) ?? [];
  const ids = named.split(/,\s+|\s+and\s+/).map((name) => name.toLowerCase().replace(/[^a-z]/g, ""));
  expect([...new Set(ids)].sort()).toEqual([...new Set(saying)].sort());
});

test("the guide to scenario numbers lists every number of the sandbox", () => {
  const carrier = readFileSync("server/providers/adapters/sandbox.ts", "utf8");
  const digits = [...carrier.matchAll(/^ {2}"(\d)": async/gm)].map(([, digit]) => digit);
  const guide = readFileSync("docs/scenario-numbers.md", "utf8");
  const numbers = [...guide.matchAll(/`\+1555010000(\d)`/g)].map(([, digit]) => digit);
  expect(numbers).toEqual(digits);
});

test("the guide to authentication lists exactly the existing permissions", async () => {
  const { SCOPES } = await import("@/server/api-keys/scopes");
  const guide = readFileSync("docs/authentication.md", "utf8");
  const named = [...guide.matchAll(/^\| `([a-z]+:[a-z]+)` \|/gm)].map(([, scope]) => scope);
  expect(named).toEqual([...SCOPES]);
});

test("the guide to authentication lists the operations of each permission, and those of every key", () => {
  type Paths = Record<string, Record<string, { description?: string }>>;
  const { paths } = JSON.parse(readFileSync("openapi.json", "utf8")) as { paths: Paths };
  // The document says with each operation what a key needs.
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { description = "" }]) => {
      const [, permission = ""] = /^Permission: (.+)/m.exec(description) ?? [];
      return { name: `${method.toUpperCase()} ${path}`, permission };
    }),
  );
  const needing = (words: string) =>
    operations.flatMap(({ name, permission }) => (permission.includes(words) ? [name] : [])).sort();
  const [, rest = ""] = readFileSync("docs/authentication.md", "utf8").split("\n## Permissions\n");
  const [section = ""] = rest.split("\n## ");
  const named = (text: string) => [...text.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, name = ""]) => name).sort();

  const rows = [...section.matchAll(/^\| `([a-z]+:[a-z]+)` \|(.*)$/gm)];
  const listed = Object.fromEntries(rows.map(([, scope, grants = ""]) => [scope, named(grants)]));
  expect(listed).toEqual(Object.fromEntries(Object.keys(listed).map((scope) => [scope, needing(`\`${scope}\``)])));
  const below = section.split("\n").filter((line) => !line.startsWith("|"));
  expect(named(below.join("\n"))).toEqual(needing("any valid key"));
  expect(operations.filter(({ permission }) => permission === "")).toEqual([]);
});

test.each(["from-twilio", "from-vonage", "from-messagebird"])(
  "%s names only codes and reasons that the guide to errors explains",
  (slug) => {
    const guide = readFileSync(`docs/${slug}.md`, "utf8");
    const errors = readFileSync("docs/errors.md", "utf8");
    const named = [...guide.matchAll(/(?:\b4\d\d |message `failed`, |the error )`([a-z_]+)`/g)].map(
      ([, name = ""]) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !errors.includes(`\`${name}\``))).toEqual([]);
  },
);
