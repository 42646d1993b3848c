import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { guideMarkdown, llmsText } from "./guide-text";
import { GUIDES } from "./guides";

const ORIGIN = "https://sms.example.net";

describe("a guide as Markdown", () => {
  test("has the address of the installation, in examples and links", () => {
    const text = "Set `http://localhost:3000/api/v1`, see [errors](errors.md#reasons) and the [reference](/docs).\n";
    expect(guideMarkdown(text, ORIGIN)).toBe(
      `Set \`${ORIGIN}/api/v1\`, see [errors](${ORIGIN}/docs/errors.md#reasons) and the [reference](${ORIGIN}/docs).\n`,
    );
  });

  test("keeps links to other sites and within itself, and removes links to files that are not served", () => {
    const text = "[one](https://example.com/a) [two](#reasons) [three](../README.md) [four](decisions/0001-a.md)";
    expect(guideMarkdown(text, ORIGIN)).toBe("[one](https://example.com/a) [two](#reasons) three four");
  });

  test("keeps its code as it is", () => {
    const text = "```js\nlist[0](errors.md)\n```\n[errors](errors.md)\n";
    expect(guideMarkdown(text, ORIGIN)).toBe(
      `\`\`\`js\nlist[0](errors.md)\n\`\`\`\n[errors](${ORIGIN}/docs/errors.md)\n`,
    );
  });

  test.each(GUIDES)("$slug: every link leads to a page of this installation or to another site", ({ slug }) => {
    const text = guideMarkdown(readFileSync(`docs/${slug}.md`, "utf8"), ORIGIN);
    const served = new Set(GUIDES.map((guide) => `${ORIGIN}/docs/${guide.slug}.md`));
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+\.md)(?:#[^)]*)?\)/g)) expect(served).toContain(target);
    expect(text).not.toContain("localhost:3000");
  });
});

describe("llms.txt", () => {
  const text = llmsText(ORIGIN);

  test("has the form of llmstxt.org: a title, a summary, and lists of links", () => {
    const [title, blank, summary, ...rest] = text.split("\n");
    expect(title).toMatch(/^# \S/);
    expect([blank, summary?.startsWith("> ")]).toEqual(["", true]);
    const lines = rest
      .join("\n")
      .split(/^## .+$/m)
      .slice(1)
      .flatMap((section) => section.trim().split("\n"));
    for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\(https:\/\/[^)]+\): .+\.$/);
  });

  test("links every guide and the document, by absolute addresses", () => {
    for (const { slug } of GUIDES) {
      expect(existsSync(`docs/${slug}.md`)).toBe(true);
      expect(text).toContain(`(${ORIGIN}/docs/${slug}.md)`);
    }
    for (const path of ["/api/v1/openapi.json", "/docs/postman.json"]) expect(text).toContain(`(${ORIGIN}${path})`);
  });
});
