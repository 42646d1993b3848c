/** Documentation for programs: the guides as Markdown, their index `llms.txt`, and the Postman collection. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { publicUrl } from "../../core/env";
import { compress } from "../compress";
import { guideMarkdown, llmsText } from "../document/guide-text";
import { GUIDES } from "../document/guides";
import { originOf } from "../origin";
import { pageRefusal, writeResponse } from "./responses";
import { countFile } from "./visitor";

type DocsFile = { type: string; bodyFor: (origin: string) => string | Promise<string> };

/** The files by path. */
export type DocsFiles = ReadonlyMap<string, DocsFile>;

const llms: DocsFile = { type: "text/plain", bodyFor: llmsText };

const postman: DocsFile = {
  type: "application/json",
  // Loaded on demand: generating the document is heavy, and most processes never need it.
  bodyFor: async (origin) => {
    const [{ openApiText }, { postmanCollection }] = await Promise.all([
      import("../document/openapi"),
      import("../document/postman"),
    ]);
    return JSON.stringify(postmanCollection(JSON.parse(openApiText(origin)) as object), null, 2);
  },
};

/** Reads the guides. @param folder that holds them. @throws Error when one is missing. */
export function readDocsFiles(folder: string): DocsFiles {
  const guides = GUIDES.map(({ slug }): [string, DocsFile] => {
    const text = readFileSync(path.join(folder, `${slug}.md`), "utf8");
    return [`/docs/${slug}.md`, { type: "text/markdown", bodyFor: (origin) => guideMarkdown(text, origin) }];
  });
  return new Map([...guides, ["/llms.txt", llms], ["/docs/llms.txt", llms], ["/docs/postman.json", postman]]);
}

/** Responds to a GET or HEAD for one of the files. */
export async function answerDocsFile(
  request: IncomingMessage,
  response: ServerResponse,
  { type, bodyFor }: DocsFile,
): Promise<void> {
  const tooOften = countFile(request);
  if (tooOften) return writeResponse(request, response, pageRefusal(tooOften));
  const body = await bodyFor(originOf(request.headers.host) || publicUrl());
  const headers = { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache" };
  const compressed = await compress({ status: 200, headers, body }, request.headers["accept-encoding"]?.toString());
  await writeResponse(request, response, compressed);
}
