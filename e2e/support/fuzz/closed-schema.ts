/** Closes the schema of a response, as a contract means it: exactly these fields. */

export type Schema = { [keyword: string]: unknown };

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const SAYS_WHAT_IS_IN_IT = ["properties", "additionalProperties", "anyOf", "oneOf", "allOf", "$ref"];

const closeEach = (schemas: unknown, isPart = false): unknown =>
  Array.isArray(schemas) ? schemas.map((schema) => closeSchema(schema, isPart)) : schemas;

/** Every schema of a record of schemas, closed. */
export const closeAll = (schemas: unknown): Schema =>
  Object.fromEntries(Object.entries(isSchema(schemas) ? schemas : {}).map(([name, one]) => [name, closeSchema(one)]));

/**
 * The schema with every object in it closed: unnamed fields are refused, even if the schema does not forbid them, and all named
 * fields must be there, unless `required` lists only some of them. An object with `additionalProperties: true` stays open.
 * @param isPart whether it is one of several schemas of the same object (`allOf`), of which others may name further fields.
 * @throws Error for an object of which nothing is declared.
 */
export function closeSchema(schema: unknown, isPart = false): unknown {
  if (!isSchema(schema)) return schema;
  const closed: Schema = { ...schema };
  if ("items" in schema) closed.items = closeSchema(schema.items);
  for (const choice of ["anyOf", "oneOf"]) if (choice in schema) closed[choice] = closeEach(schema[choice], isPart);
  if ("allOf" in schema) {
    closed.allOf = closeEach(schema.allOf, true);
    if (!isPart) Object.assign(closed, { type: "object", unevaluatedProperties: false });
  }
  if (isSchema(schema.additionalProperties)) closed.additionalProperties = closeSchema(schema.additionalProperties);
  if (schema.type === "object" && !SAYS_WHAT_IS_IN_IT.some((keyword) => keyword in schema)) {
    throw new Error(`Nothing is declared about the object ${JSON.stringify(schema)}`);
  }
  if (!isSchema(schema.properties)) return closed;
  closed.properties = closeAll(schema.properties);
  if (isPart || (schema.additionalProperties ?? false) !== false) return closed;
  return { ...closed, required: schema.required ?? Object.keys(schema.properties), additionalProperties: false };
}
