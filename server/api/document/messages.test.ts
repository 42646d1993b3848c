import { beforeAll, expect, test } from "vitest";

type Json = Record<string, unknown>;

let document: Json = {};

beforeAll(async () => {
  Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
  const { openApiDocument } = await import("./openapi");
  document = JSON.parse(JSON.stringify(openApiDocument()));
});

/** The value at a path of keys in the document; references are followed. */
const at = (...keys: (string | number)[]): unknown =>
  keys.reduce<unknown>((value, key) => follow((value as Json)[key]), document);

function follow(value: unknown): unknown {
  const ref = typeof value === "object" && value !== null && "$ref" in value ? String(value.$ref) : null;
  return ref === null ? value : at(...ref.slice("#/".length).split("/"));
}

const operation = (method: string, path: string) => at("paths", path, method) as Json;
const JSON_SCHEMA = ["content", "application/json", "schema"];
const inputOf = (path: string) => at("paths", path, "post", "requestBody", ...JSON_SCHEMA) as Json;
const headersOf = (path: string) =>
  ((operation("post", path).parameters ?? []) as Json[]).map((parameter) => (follow(parameter) as Json).name);

test("an estimate takes either body, responds 200 and takes no Idempotency-Key", () => {
  const path = "/messages/estimate";
  expect(operation("post", path)).toMatchObject({ tags: ["Messages"], summary: "Estimate a send" });
  const statuses = Object.keys(operation("post", path).responses as Json);
  expect(statuses).toEqual(expect.arrayContaining(["200", "400", "401", "403", "429"]));
  for (const other of ["201", "402", "409"]) expect(statuses).not.toContain(other);
  expect(headersOf(path)).not.toContain("Idempotency-Key");
  expect(headersOf("/messages/send")).toContain("Idempotency-Key");
  expect(inputOf(path).required).toEqual(["from", "body"]);
  expect(Object.keys(inputOf(path).properties as Json)).toEqual(expect.arrayContaining(["to", "recipients"]));
  expect(inputOf(path).oneOf).toEqual([{ required: ["to"] }, { required: ["recipients"] }]);
  expect(operation("post", path).description).toContain("`sms:bulk`");
});

test.each(["/messages/send", "/messages/bulk", "/messages/estimate"])("%s accepts smart_encoding", (path) => {
  const { properties, required } = inputOf(path) as { properties: Json; required: string[] };
  expect(properties.smart_encoding).toMatchObject({ type: ["boolean", "null"], description: expect.any(String) });
  expect(required).not.toContain("smart_encoding");
});

test("the entries of a timeline are distinguished by their kind", () => {
  const path = "/messages/{id}/timeline";
  const data = [...["responses", "200"], ...JSON_SCHEMA, "properties", "data", "properties", "entries", "items"];
  const { oneOf } = at("paths", path, "get", ...data) as { oneOf: unknown[] };
  const kinds = oneOf.map((entry) => (((follow(entry) as Json).properties as Json).kind as Json).const);
  expect(kinds).toEqual(["accepted", "rescheduled", "money", "attempt", "receipt", "event", "webhook_try"]);
  expect(Object.keys(operation("get", path).responses as Json)).toContain("404");
});
