import { beforeAll, expect, test } from "vitest";
import { maskBody, maskQuery } from "../request-log/mask";

type Schema = {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
};
type Operation = {
  parameters?: ({ in: string; name: string; schema: Schema } | { $ref: string })[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
};

/**
 * Fields of requests that the request log keeps as they are. Texts of messages, the values that fill them and secrets are not among
 * them.
 */
const PLAIN_BODY_FIELDS = [
  ...["allowed_ips", "allowed_ips.[]", "country_code", "daily_limit", "description", "dlt_entity_id"],
  ...["dlt_template_category", "dlt_template_id", "events.[]", "expires_at", "from", "metadata", "metadata.*"],
  ...[
    "monthly_limit",
    "name",
    "note",
    "number",
    "numbers.[]",
    "permissions.[]",
    "provider",
    "quiet_hours",
    "rate_limit",
  ],
  ...["recipients.[]", "reference", "route_id", "send_at", "sender_id", "since", "smart_encoding", "to", "type", "url"],
  "validity_period",
];
const PLAIN_PARAMETERS = [
  ...["api_key_id", "cascade", "created_after", "created_before", "cursor", "from", "limit", "message_id", "metadata"],
  ...["number", "page", "period", "reference", "sender_id", "status", "to", "type"],
];

const MARKER = "4711 secret otp";
let operations: Operation[];
let schemas: Record<string, Schema>;

beforeAll(async () => {
  Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
  const { openApiDocument } = await import("./document/openapi");
  const document = openApiDocument();
  operations = Object.values(document.paths ?? {}).flatMap(
    (methods) => Object.values(methods as object) as Operation[],
  );
  schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
});

/** The paths of the values in a schema. `[]`: an item, `*`: a field of any name. */
function fieldsOf({ $ref, ...schema }: Schema, path: string[] = []): string[][] {
  if ($ref) return fieldsOf(schemas[$ref.split("/").at(-1) ?? ""] ?? {}, path);
  const others = typeof schema.additionalProperties === "object" ? { "*": schema.additionalProperties } : {};
  const items = schema.items ? { "[]": schema.items } : {};
  const below = Object.entries({ ...schema.properties, ...others, ...items });
  return [
    ...(schema.anyOf ?? []).flatMap((one) => fieldsOf(one, path)),
    ...below.flatMap(([name, field]) => fieldsOf(field, [...path, name])),
    ...(schema.type && schema.type !== "object" && schema.type !== "array" ? [path] : []),
  ];
}

/** A body with only the marker, at a path. */
const bodyWith = ([name, ...below]: string[]): unknown =>
  name === undefined ? MARKER : name === "[]" ? [bodyWith(below)] : { [name]: bodyWith(below) };

const namesOf = (paths: string[][]) => [...new Set(paths.map((path) => path.join(".")))].sort();

test("every field of a body is masked in the request log, or is a plain one", () => {
  const fields = operations.flatMap(({ requestBody }) =>
    requestBody ? fieldsOf(requestBody.content["application/json"].schema) : [],
  );
  expect(namesOf(fields)).toEqual(expect.arrayContaining(["body", "variables.[].*"]));
  expect(namesOf(fields.filter((path) => maskBody(bodyWith(path), false).includes(MARKER)))).toEqual(
    [...PLAIN_BODY_FIELDS].sort(),
  );
});

test("every query parameter is masked in the request log, or is a plain one", () => {
  const names = operations.flatMap(({ parameters = [] }) =>
    parameters.flatMap((one) => ("in" in one && one.in === "query" ? [[one.name]] : [])),
  );
  expect(namesOf(names.filter(([name]) => maskQuery(`${name}=4711`, false).includes("4711")))).toEqual(
    [...PLAIN_PARAMETERS].sort(),
  );
});
