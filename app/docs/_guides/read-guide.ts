import { readFile } from "node:fs/promises";
import path from "node:path";
import { marked, type Token, type Tokens } from "marked";

export type Guide = {
  title: string;
  /** Everything below the title. */
  tokens: Token[];
  /** The second-level headings, for the list next to the text. */
  sections: { id: string; text: string }[];
};

/** The id of a heading, by the same rule as on GitHub, so that links work in both places. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

/** Reads docs/<slug>.md at build time. @throws Error if the file does not begin with a title. */
export async function readGuide(slug: string): Promise<Guide> {
  const text = await readFile(path.join(process.cwd(), "docs", `${slug}.md`), "utf8");
  const [title, ...tokens] = marked.lexer(text);
  if (title?.type !== "heading" || title.depth !== 1) throw new Error(`docs/${slug}.md does not begin with a title.`);
  const sections = tokens
    .filter((token): token is Tokens.Heading => token.type === "heading" && token.depth === 2)
    .map((heading) => ({ id: headingId(heading.text), text: heading.text.replaceAll("`", "") }));
  return { title: title.text, tokens, sections };
}

/** The URL on the site for a link in a guide: /docs/<slug> for other guides, null for files of the project. */
export function siteHref(href: string): string | null {
  if (/^([a-z]+:|\/|#)/.test(href)) return href;
  const guide = /^(?:\.\/)?([a-z-]+)\.md(#.*)?$/.exec(href);
  return guide ? `/docs/${guide[1]}${guide[2] ?? ""}` : null;
}
