import { Ajv2020, type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";

type Json = Record<string, unknown>;
type Example = { value: unknown };
type Media = { schema: Json; examples?: Record<string, Example> };
type Operation = {
  operationId: string;
  description: string;
  tags: string[];
  parameters?: Array<Json & { example?: unknown; schema: Json }>;
  requestBody?: { content: { "application/json": Media } };
  responses: Record<string, { headers?: Record<string, Json>; content?: { "application/json": Media } }>;
};

let document: Json & { components: { schemas: Record<string, Json> } };

async function freshDocument(): Promise<typeof document> {
  const { openApiDocument } = await import("./openapi");
  return JSON.parse(JSON.stringify(openApiDocument()));
}

beforeAll(async () => {
  Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
  document = await freshDocument();
});

/** The target of a reference `#/components/…`. @throws Error when there is none. */
function resolve(ref: string): unknown {
  const keys = ref.replace("#/", "").split("/");
  const found = keys.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
  if (found === undefined) throw new Error(`There is no ${ref}.`);
  return found;
}

/** A copy of a part of the document, with all references resolved except those in schemas. */
function follow(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(follow);
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part && !String(part.$ref).startsWith("#/components/schemas/"))
    return follow(resolve(String(part.$ref)));
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, key === "schema" ? value : follow(value)]),
  );
}

const operationsOf = (part: "paths" | "webhooks"): Array<[name: string, operation: Operation]> =>
  Object.entries(document[part] as Record<string, Json>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      follow(operation) as Operation,
    ]),
  );

/** Calls `visit` with every object of the document that has a key `name`. */
function visitAll(part: unknown, name: string, visit: (found: Json, at: string) => void, at = "#"): void {
  if (typeof part !== "object" || part === null) return;
  if (!Array.isArray(part) && name in part) visit(part as Json, at);
  for (const [key, value] of Object.entries(part)) visitAll(value, name, visit, `${at}/${key}`);
}

let ajv: Ajv2020 | null = null;
/** Validators by the text of their schema: most refusals have the same schema. */
const validators = new Map<string, ValidateFunction>();

/** Validation errors of a value; null when it is valid. References of the schema are resolved in the document. */
function faultsOf(schema: Json, value: unknown): unknown {
  if (!ajv) {
    // Each validator runs only a few times: optimizing its code takes longer than it saves.
    ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
    addFormats.default(ajv);
    ajv.addSchema(document, "document");
  }
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate(value) ? null : validate.errors;
}

test("the document has every operation, each with its success status and its refusals", () => {
  const operations = operationsOf("paths").map(([name, { responses }]) => [name, Object.keys(responses)] as const);
  expect(operations.map(([name]) => name).sort()).toEqual([
    "DELETE /api-keys/{id}",
    "DELETE /senders/{id}",
    "DELETE /suppressions/{id}",
    "DELETE /webhooks/{id}",
    "GET /account",
    "GET /api-keys",
    "GET /balance",
    "GET /events",
    "GET /inbound",
    "GET /inbound/{id}",
    "GET /messages",
    "GET /messages/{id}",
    "GET /messages/{id}/timeline",
    "GET /senders",
    "GET /senders/{id}",
    "GET /suppressions",
    "GET /usage",
    "GET /webhooks",
    "GET /webhooks/{id}",
    "GET /webhooks/{id}/deliveries",
    "PATCH /api-keys/{id}",
    "PATCH /senders/{id}",
    "PATCH /webhooks/{id}",
    "POST /api-keys/create",
    "POST /messages/bulk",
    "POST /messages/estimate",
    "POST /messages/send",
    "POST /messages/{id}/cancel",
    "POST /messages/{id}/redact",
    "POST /messages/{id}/reschedule",
    "POST /senders/create",
    "POST /suppressions",
    "POST /suppressions/import",
    "POST /webhooks/create",
    "POST /webhooks/{id}/enable",
    "POST /webhooks/{id}/pause",
    "POST /webhooks/{id}/recover",
    "POST /webhooks/{id}/resume",
    "POST /webhooks/{id}/rotate-secret",
    "POST /webhooks/{id}/test",
  ]);
  for (const [name, statuses] of operations) {
    const creates = /(create|send|bulk|POST \/suppressions)$/.test(name);
    expect(statuses.filter((status) => status.startsWith("2"))).toEqual([creates ? "201" : "200"]);
    // With strict handling an operation without input refuses a query.
    expect(statuses).toEqual(expect.arrayContaining(["400", "401", "403", "429", "500", "503"]));
    expect(statuses.includes("402")).toBe(/(send|bulk)$/.test(name));
    expect(statuses.includes("404")).toBe(name.includes("{id}"));
    expect(statuses).not.toContain("409");
  }
});

test("creating operations and the rotation of a secret take an Idempotency-Key", () => {
  for (const [name, { parameters = [], responses }] of operationsOf("paths")) {
    const takesKey = parameters.some(({ name }) => name === "Idempotency-Key");
    expect(takesKey).toBe("201" in responses || name.endsWith("rotate-secret"));
    const success = responses["201"] ?? responses["200"];
    expect("Idempotency-Replayed" in (success?.headers ?? {})).toBe(takesKey);
  }
});

test("operations have unique ids, a known tag, and name the permission that they need", () => {
  const all = [...operationsOf("paths"), ...operationsOf("webhooks")];
  const ids = all.map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = (document.tags as Json[]).map(({ name }) => name);
  for (const [, { operationId, tags: own }] of all) {
    expect(operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(tags).toEqual(expect.arrayContaining(own));
  }
  for (const [name, { description }] of operationsOf("paths")) {
    expect(`${name}: ${description}`).toMatch(/: .+\n\nPermission: (`[a-z]+:[a-z]+` \(.+\)|any valid key)\.$/s);
    expect(description).not.toMatch(/\bapi\b|\bsender ids\b/);
  }
});

test("pages have data and pagination side by side, and every response has meta", () => {
  const successOf = (name: string, status: string) =>
    operationsOf("paths").find(([own]) => own === name)?.[1].responses[status]?.content?.["application/json"].schema;
  expect(successOf("GET /messages", "200")).toMatchObject({
    required: ["success", "data", "pagination", "meta"],
    properties: { data: { type: "array", items: { $ref: "#/components/schemas/Message" } } },
  });
  expect(successOf("POST /messages/send", "201")).toMatchObject({
    required: ["success", "data", "meta"],
    properties: { data: { $ref: "#/components/schemas/Message" } },
  });
});

test("every reference resolves, and every property has a description", () => {
  visitAll(document, "$ref", ({ $ref }) => expect(() => resolve(String($ref))).not.toThrow());
  const undescribed: string[] = [];
  visitAll(document, "properties", ({ properties }, at) => {
    if (at.includes("/examples/")) return;
    for (const [name, property] of Object.entries(properties as Record<string, Json>)) {
      if (!property.description && !property.$ref) undescribed.push(`${at}/${name}`);
    }
  });
  expect(undescribed).toEqual([]);
});

test("no object is closed: fields may be added without breaking a client that validates", () => {
  const closed: string[] = [];
  visitAll(document, "additionalProperties", ({ additionalProperties }, at) => {
    if (additionalProperties === false) closed.push(at);
  });
  expect(closed).toEqual([]);
});

test("JSON and YAML have the same content, with the address of the installation", async () => {
  const { openApiText, openApiYaml } = await import("./openapi");
  const served = JSON.parse(openApiText("https://sms.example.com"));
  expect(served).toMatchObject({
    servers: [{ url: "https://sms.example.com/api/v1" }],
    info: { contact: { url: "https://sms.example.com/docs" } },
  });
  expect(parse(openApiYaml("https://sms.example.com"))).toEqual(served);
  expect({ ...served, servers: document.servers, info: document.info }).toEqual(document);
});

describe("examples", () => {
  const mediaOf = (): Array<[name: string, media: Media]> =>
    [...operationsOf("paths"), ...operationsOf("webhooks")].flatMap(([name, { requestBody, responses }]) => [
      ...(requestBody ? [[`${name} request`, requestBody.content["application/json"]] as [string, Media]] : []),
      ...Object.entries(responses).flatMap(
        ([status, { content }]): Array<[string, Media]> =>
          content ? [[`${name} ${status}`, content["application/json"]]] : [],
      ),
    ]);

  test("exist for every request and response, and are valid", () => {
    for (const [name, { schema, examples }] of mediaOf()) {
      expect(Object.keys(examples ?? {}), name).not.toEqual([]);
      for (const [key, { value }] of Object.entries(examples ?? {})) {
        expect(faultsOf(schema, value), `${name} ${key}`).toBeNull();
      }
    }
  });

  test("would be invalid with a missing field, or one of another type", () => {
    const send = mediaOf().find(([name]) => name === "POST /messages/send 201")?.[1];
    const [good] = Object.values(send?.examples ?? {}) as Array<{ value: Json & { data: Json } }>;
    const { cost, ...rest } = good?.value.data ?? {};
    expect(cost).toBe(0.01);
    for (const data of [rest, { ...rest, cost: "0.01" }, { ...rest, cost, sent_at: "now" }]) {
      expect(faultsOf(send?.schema ?? {}, { ...good?.value, data })).not.toBeNull();
    }
  });

  test("of parameters and headers are valid too", () => {
    for (const [name, { parameters = [], responses }] of [...operationsOf("paths"), ...operationsOf("webhooks")]) {
      const headers = Object.values(responses).flatMap((response) => Object.values(response.headers ?? {}));
      for (const { schema, example } of [...parameters, ...headers] as Array<{ schema: Json; example?: unknown }>) {
        if (example !== undefined) expect(faultsOf(schema, example), name).toBeNull();
      }
    }
  });

  test("have well-formed ids", () => {
    const ids = JSON.stringify(document).match(/\b[a-z]{3}_[0-9a-z]{20,}/g) ?? [];
    expect(ids.length).toBeGreaterThan(50);
    for (const id of ids) expect(id).toMatch(/^[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  });
});

test("the four events are described as webhook requests", () => {
  const webhooks = operationsOf("webhooks");
  const types = ["message.sent", "message.delivered", "message.failed", "message.received"];
  expect(webhooks.map(([name]) => name)).toEqual(types.map((type) => `POST ${type}`));
  for (const [name, { parameters = [], requestBody }] of webhooks) {
    expect(parameters.map((parameter) => parameter.name)).toContain("Service-Signature");
    const media = requestBody?.content["application/json"];
    const [example] = Object.values(media?.examples ?? {});
    expect(faultsOf(media?.schema ?? {}, { ...(example?.value as Json), type: "message.other" }), name).not.toBeNull();
  }
});

test("the document is the same in every installation, and when its code is loaded again", async () => {
  expect(document.servers).toEqual([{ url: "/api/v1", description: expect.any(String) }]);
  expect(document.info).toMatchObject({ contact: { url: "/docs" } });
  const made = (globalThis as Record<symbol, unknown>)[Symbol.for("messaging-service.process")] as Map<string, unknown>;
  made.delete("rest.openapi");
  vi.resetModules();
  expect(await freshDocument()).toEqual(document);
});
