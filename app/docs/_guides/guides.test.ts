import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { marked, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { GUIDES } from "./list";
import { headingId, readGuide, siteHref } from "./read-guide";

/** Every token of a text, whatever it stands in. */
const flatten = (tokens: Token[]): Token[] => {
  const all: Token[] = [];
  marked.walkTokens(tokens, (token) => {
    all.push(token);
  });
  return all;
};

const idsOf = async (slug: string): Promise<string[]> =>
  flatten((await readGuide(slug)).tokens).flatMap((token) => (token.type === "heading" ? [headingId(token.text)] : []));

/** Pages for people who read the source or run the tests: they speak of files, not of the API. */
const ABOUT_THE_SOURCE = new Set([
  "architecture.md",
  "glossary.md",
  "invariants.md",
  "proof.md",
  "security-sessions.md",
  "security.md",
]);

test("every guide of docs/ is on the site, and every guide of the site is in docs/", () => {
  const files = readdirSync("docs").filter((name) => name.endsWith(".md") && !ABOUT_THE_SOURCE.has(name));
  expect(files.sort()).toEqual(GUIDES.map(({ slug }) => `${slug}.md`).sort());
});

describe.each(GUIDES)("$slug", ({ slug }) => {
  test("has a title and nothing that the site cannot draw", async () => {
    const { title, tokens } = await readGuide(slug);
    expect(title).not.toBe("");
    const drawn = ["heading", "paragraph", "strong", "em", "codespan", "code", "link", "list", "list_item", "table"];
    const known = new Set([...drawn, "blockquote", "hr", "br", "space", "text", "escape"]);
    expect(flatten(tokens).flatMap(({ type }) => (known.has(type) ? [] : [type]))).toEqual([]);
  });

  test("links to what there is", async () => {
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

test("links lead to the same place on the site as beside the files", () => {
  expect(siteHref("errors.md")).toBe("/docs/errors");
  expect(siteHref("errors.md#reasons")).toBe("/docs/errors#reasons");
  expect(siteHref("https://example.com")).toBe("https://example.com");
  expect(siteHref("#reasons")).toBe("#reasons");
  expect(siteHref("../README.md")).toBeNull();
});

describe("the guide to errors", () => {
  const guide = readFileSync("docs/errors.md", "utf8");
  const sources = readdirSync("server", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(path.join("server", name), "utf8"));

  test("names every reason that the service gives", () => {
    // Reasons stand beside a message or in the `reason` of a limit; verification and the URL guard have results of their
    // own, and a suppression has a reason too.
    const own = new Set(["malformed", "mismatch", "outside_tolerance", "stop", "manual"]);
    const reasons = sources.flatMap((source) =>
      [...source.matchAll(/reason: "([a-z_]+)"/g)].map(([, name]) => name ?? ""),
    );
    expect(reasons.length).toBeGreaterThan(30);
    expect([...new Set(reasons)].filter((name) => !own.has(name) && !guide.includes(`\`${name}\``))).toEqual([]);
  });

  test("names no reason that there is not", () => {
    const [, rows = ""] = guide.split("## Reasons\n");
    const named = rows
      .split("\n## ")[0]
      ?.split("\n")
      .flatMap((row) => [...(row.split("|")[2] ?? "").matchAll(/`([a-z_]+)`/g)].map(([, name]) => name ?? ""));
    expect(named?.length).toBeGreaterThan(20);
    const all = sources.join("\n");
    expect(named?.filter((name) => !all.includes(`"${name}"`))).toEqual([]);
  });

  test("names every code with which the service itself lets a message fail", () => {
    const held = ["blocklisted", "country_not_allowed", "flood_limit"];
    for (const code of [
      ...held,
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

test("the guide to scenario numbers names every number that the built-in carrier knows", () => {
  const carrier = readFileSync("server/providers/adapters/sandbox.ts", "utf8");
  const digits = [...carrier.matchAll(/^ {2}"(\d)": async/gm)].map(([, digit]) => digit);
  const guide = readFileSync("docs/scenario-numbers.md", "utf8");
  const numbers = [...guide.matchAll(/`\+1555010000(\d)`/g)].map(([, digit]) => digit);
  expect(numbers).toEqual(digits);
});

test("the guide to authentication names every permission, and no other", async () => {
  const { SCOPES } = await import("@/server/api-keys/scopes");
  const guide = readFileSync("docs/authentication.md", "utf8");
  const named = [...guide.matchAll(/^\| `([a-z]+:[a-z]+)` \|/gm)].map(([, scope]) => scope);
  expect(named).toEqual([...SCOPES]);
});
