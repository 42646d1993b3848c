/** The guides as text: each as Markdown with this installation's address, and their index for language models. */
import { GUIDES } from "./guides";

/** The address that the guides' files use. */
const WRITTEN_ADDRESS = "http://localhost:3000";
const GUIDE_LINK = /^(?:\.\/)?([a-z-]+\.md(?:#.*)?)$/;
const MARKDOWN_LINK = /\[([^[\]]*)\]\(([^()\s]+)\)/g;
const CODE_FENCE = "```";

/** The URL of a link in a guide: absolute, or null for files of the project, which are not served. */
function linkTarget(target: string, origin: string): string | null {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  if (target.startsWith("/")) return `${origin}${target}`;
  const [, file] = GUIDE_LINK.exec(target) ?? [];
  return file === undefined ? null : `${origin}/docs/${file}`;
}

/**
 * A guide as Markdown whose links and examples have the address of an installation.
 * @param text the file. @param origin such as `https://sms.example.com`.
 */
export function guideMarkdown(text: string, origin: string): string {
  const withLinks = (part: string) =>
    part.replace(MARKDOWN_LINK, (_, label: string, target: string) => {
      const url = linkTarget(target, origin);
      return url === null ? label : `[${label}](${url})`;
    });
  // Every second part is a code block, which stays as it is: an index followed by a call looks like a link.
  const parts = text.replaceAll(WRITTEN_ADDRESS, origin).split(CODE_FENCE);
  return parts.map((part, at) => (at % 2 === 0 ? withLinks(part) : part)).join(CODE_FENCE);
}

const guideLines = (readers: "callers" | "operators", origin: string): string[] =>
  GUIDES.filter((guide) => guide.readers === readers).map(
    ({ slug, label, summary }) => `- [${label}](${origin}/docs/${slug}.md): ${summary}`,
  );

/** The index in the form of llmstxt.org. @param origin such as `https://sms.example.com`. */
export const llmsText = (origin: string): string =>
  [
    "# Messaging Service",
    "",
    "> A REST API that sends SMS, follows each message to its final status, and posts signed webhooks for every change.",
    "",
    `The API is at ${origin}/api/v1. Requests carry an API key as \`Authorization: Bearer ds_live_…\`. Every response is JSON ` +
      "in one envelope: `success`, `data` or `error`, `meta`, and `pagination` for paged lists.",
    "",
    "## API",
    "",
    `- [OpenAPI document](${origin}/api/v1/openapi.json): every operation, schema and example, with code samples.`,
    `- [OpenAPI document as YAML](${origin}/api/v1/openapi.yaml): the same.`,
    `- [Postman collection](${origin}/docs/postman.json): a request per operation, with examples.`,
    "",
    "## Guides",
    "",
    ...guideLines("callers", origin),
    "",
    "## Optional",
    "",
    ...guideLines("operators", origin),
    "",
  ].join("\n");
