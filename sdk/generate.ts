/** What of the client is made of the API document: the types, and which operations take an Idempotency-Key. */
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

const HEADER = "// Made of openapi.json by `npm run openapi`; do not edit.\n";

type Document = { paths?: Record<string, Record<string, { parameters?: Array<{ $ref?: string }> }>> };

/** Paths whose POST takes an Idempotency-Key, in the order of the document. */
const keyedPaths = (document: Document): string[] =>
  Object.entries(document.paths ?? {}).flatMap(([path, { post }]) =>
    post?.parameters?.some(({ $ref }) => $ref?.endsWith("/IdempotencyKey")) ? [path] : [],
  );

/**
 * The generated files of the client, by their paths in the repository.
 * @param document the OpenAPI document as parsed JSON.
 */
export async function generateClient(document: object): Promise<Record<string, string>> {
  // A field with a default may be left out by whoever sends it.
  const nodes = await openapiTS(document as OpenAPI3, { defaultNonNullable: false });
  const paths = keyedPaths(document).map((path) => `  ${JSON.stringify(path)},\n`);
  return {
    "sdk/src/schema.d.ts": HEADER + astToString(nodes),
    "sdk/src/keyed-paths.ts":
      `${HEADER}\n/** Paths whose POST takes an Idempotency-Key. */\n` +
      `export const KEYED_PATHS: ReadonlySet<string> = new Set([\n${paths.join("")}]);\n`,
  };
}
