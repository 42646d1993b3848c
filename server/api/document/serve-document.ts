/** Serves the API document, as JSON and YAML. */
import { defineProcessValue } from "../../core/process";
import { countDocument } from "../door/visitor";
import { originOf } from "../origin";
import type { RestRequest, RestResponse } from "../rest-exchange";
import { textPerOrigin } from "./text-per-origin";

// Loaded on demand: generating the document is heavy, and most processes never need it.
const documents = defineProcessValue("rest.documents", () => ({
  json: textPerOrigin(async (origin) => (await import("./openapi")).openApiText(origin)),
  yaml: textPerOrigin(async (origin) => (await import("./openapi")).openApiYaml(origin)),
}));

const FORMATS: Readonly<Record<string, { format: "json" | "yaml"; type: string }>> = {
  "/openapi.json": { format: "json", type: "application/json" },
  "/openapi.yaml": { format: "yaml", type: "application/yaml" },
};

/** Methods of the document's paths. */
export const DOCUMENT_METHODS = "GET, HEAD, OPTIONS";

export const isDocument = (path: string): boolean => Object.hasOwn(FORMATS, path);

/**
 * Responds to a request for the document, which needs no key; null for any other path.
 * @throws 429 `too_many_visits`
 */
export async function serveDocument(
  request: RestRequest,
  headers: Record<string, string>,
): Promise<RestResponse | null> {
  const asked = FORMATS[request.path];
  if (asked === undefined || request.method !== "GET") return null;
  const tooOften = countDocument(request.peer, request.header("x-forwarded-for"));
  if (tooOften) throw tooOften;
  const text = await documents()[asked.format](originOf(request.header("host")));
  return { status: 200, headers: { ...headers, "content-type": `${asked.type}; charset=utf-8` }, ...text };
}
