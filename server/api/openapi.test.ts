import { beforeAll, expect, test } from "vitest";

beforeAll(() => {
  Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
});

test("the document names every operation, each with its success status and its refusals", async () => {
  const { openApiDocument } = await import("./openapi");
  const operations = Object.entries(openApiDocument().paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { responses: object }>).map(
      ([method, { responses }]) => [`${method.toUpperCase()} ${path}`, Object.keys(responses)] as const,
    ),
  );
  expect(operations.map(([name]) => name).sort()).toEqual([
    "DELETE /api-keys/{id}",
    "DELETE /webhooks/{id}",
    "GET /account",
    "GET /api-keys",
    "GET /balance",
    "GET /events",
    "GET /messages",
    "GET /messages/{id}",
    "GET /messages/{id}/timeline",
    "GET /senders",
    "GET /senders/{id}",
    "GET /usage",
    "GET /webhooks",
    "GET /webhooks/{id}",
    "GET /webhooks/{id}/deliveries",
    "POST /api-keys/create",
    "POST /messages/bulk",
    "POST /messages/estimate",
    "POST /messages/send",
    "POST /senders/create",
    "POST /webhooks/create",
    "POST /webhooks/{id}/enable",
    "POST /webhooks/{id}/recover",
    "POST /webhooks/{id}/rotate-secret",
    "POST /webhooks/{id}/test",
  ]);
  for (const [name, statuses] of operations) {
    const creates = name.startsWith("POST") && !/estimate|\{id\}/.test(name);
    expect(statuses.filter((status) => status.startsWith("2"))).toEqual([creates ? "201" : "200"]);
    expect(statuses.includes("409")).toBe(creates);
    expect(statuses).toContain("401");
  }
});

test("pages put data and pagination side by side, and every answer carries meta", async () => {
  const { openApiDocument } = await import("./openapi");
  const document = JSON.parse(JSON.stringify(openApiDocument()));
  const schema = document.paths["/messages"].get.responses["200"].content["application/json"].schema;
  expect(schema.required).toEqual(["success", "data", "pagination", "meta"]);
  expect(schema.properties.data.type).toBe("array");
  const send = document.paths["/messages/send"].post.responses["201"].content["application/json"].schema;
  expect(send.properties.data.properties.id.type).toBe("string");
  expect(document.components.schemas.Error.properties.success.const).toBe(false);
});
