/** Generates the client's types, and its table of operations, from the API document. */
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

const HEADER = "// Made of openapi.json by `npm run openapi`; do not edit.\n";

type Operation = { operationId?: string; parameters?: Array<{ $ref?: string }>; "x-repeatable"?: boolean };
type Document = { paths?: Record<string, Record<string, Operation>> };

/**
 * Operations in the order of the document. `isKeyed`: it takes an Idempotency-Key. `isRepeatable`: with that key, or by its nature,
 * repeating it does no more than carrying it out once.
 */
function operationsOf(document: Document): string[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { operationId, parameters = [] } = operation;
      if (!operationId) return [];
      const isKeyed = parameters.some(({ $ref }) => $ref?.endsWith("/IdempotencyKey"));
      const isRepeatable = method !== "post" || isKeyed || operation["x-repeatable"] === true;
      const facts = `method: "${method.toUpperCase()}", path: "${path}", isKeyed: ${isKeyed}, isRepeatable: ${isRepeatable}`;
      return [`  ${operationId}: { ${facts} },\n`];
    }),
  );
}

/**
 * The generated files of the client, by their paths in the repository.
 * @param document the OpenAPI document as parsed JSON.
 */
export async function generateClient(document: object): Promise<Record<string, string>> {
  // A request may omit a field that has a default.
  const nodes = await openapiTS(document as OpenAPI3, { defaultNonNullable: false });
  return {
    "sdk/src/schema.d.ts": HEADER + astToString(nodes),
    "sdk/src/operations.ts":
      `${HEADER}\n/** Every operation of the API. \`isKeyed\`: it takes an Idempotency-Key. \`isRepeatable\`: repeating it is safe. */\n` +
      `export const OPERATIONS = {\n${operationsOf(document).join("")}} as const;\n`,
  };
}
