/** Documentation for programs: the guides as Markdown, their index `llms.txt`, and the Postman collection. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { publicUrl } from "../../core/env";
import { compress } from "../compress";
import { guideMarkdown, llmsText } from "../document/guide-text";
import { GUIDES } from "../document/guides";
import { type KeptText, textPerOrigin } from "../document/text-per-origin";
import { originOf } from "../origin";
import { pageRefusal, writeResponse } from "./responses";
import { countDocument, forwardedForOf, peerOf } from "./visitor";

type DocsFile = { type: string; textAt: (origin: string) => Promise<KeptText> };

/** The files by path. */
export type DocsFiles = ReadonlyMap<string, DocsFile>;

/** Reads the guides. @param folder of the guides. @throws Error when one is missing. */
export function readDocsFiles(folder: string): DocsFiles {
  const guides = GUIDES.map(({ slug }): [string, DocsFile] => {
    const text = readFileSync(path.join(folder, `${slug}.md`), "utf8");
    return [
      `/docs/${slug}.md`,
      { type: "text/markdown", textAt: textPerOrigin((origin) => guideMarkdown(text, origin)) },
    ];
  });
  const llms: DocsFile = { type: "text/plain", textAt: textPerOrigin(llmsText) };
  const postman: DocsFile = {
    type: "application/json",
    // Loaded on demand: generating the document is heavy, and most processes never need it.
    textAt: textPerOrigin(async (origin) => (await import("../document/openapi")).postmanText(origin)),
  };
  return new Map([...guides, ["/llms.txt", llms], ["/docs/llms.txt", llms], ["/docs/postman.json", postman]]);
}

/** Responds to a GET or HEAD for one of the files. */
export async function answerDocsFile(
  request: IncomingMessage,
  response: ServerResponse,
  { type, textAt }: DocsFile,
): Promise<void> {
  const tooOften = countDocument(peerOf(request), forwardedForOf(request));
  if (tooOften) return writeResponse(request, response, pageRefusal(tooOften));
  const text = await textAt(originOf(request.headers.host) || publicUrl());
  const headers = { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache" };
  const compressed = await compress({ status: 200, headers, ...text }, request.headers["accept-encoding"]?.toString());
  await writeResponse(request, response, compressed);
}
