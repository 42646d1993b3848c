import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, test, vi } from "vitest";

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

/** `#/components/…` -> what stands there. @throws Error when nothing does. */
function resolve(ref: string): unknown {
  const keys = ref.replace("#/", "").split("/");
  const found = keys.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
  if (found === undefined) throw new Error(`There is no ${ref}.`);
  return found;
}

/** A copy of a part of the document, with references followed everywhere but in schemas. */
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

/** Calls `visit` with everything in the document that has a key called `name`. */
function visitAll(part: unknown, name: string, visit: (found: Json, at: string) => void, at = "#"): void {
  if (typeof part !== "object" || part === null) return;
  if (!Array.isArray(part) && name in part) visit(part as Json, at);
  for (const [key, value] of Object.entries(part)) visitAll(value, name, visit, `${at}/${key}`);
}

let ajv: Ajv2020 | null = null;

/** What is wrong with a value; null when it is valid. References of the schema are those of the document. */
function faultsOf(schema: Json, value: unknown): unknown {
  if (!ajv) {
    ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, "document");
  }
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
  const validate = ajv.compile(JSON.parse(text));
  return validate(value) ? null : validate.errors;
}

test("the document names every operation, each with its success status and its refusals", () => {
  const operations = operationsOf("paths").map(([name, { responses }]) => [name, Object.keys(responses)] as const);
  expect(operations.map(([name]) => name).sort()).toEqual([
    "DELETE /api-keys/{id}",
    "DELETE /suppressions/{id}",
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
    "GET /suppressions",
    "GET /usage",
    "GET /webhooks",
    "GET /webhooks/{id}",
    "GET /webhooks/{id}/deliveries",
    "POST /api-keys/create",
    "POST /messages/bulk",
    "POST /messages/estimate",
    "POST /messages/send",
    "POST /senders/create",
    "POST /suppressions",
    "POST /webhooks/create",
    "POST /webhooks/{id}/enable",
    "POST /webhooks/{id}/recover",
    "POST /webhooks/{id}/rotate-secret",
    "POST /webhooks/{id}/test",
  ]);
  for (const [name, statuses] of operations) {
    const creates = /(create|send|bulk|POST \/suppressions)$/.test(name);
    expect(statuses.filter((status) => status.startsWith("2"))).toEqual([creates ? "201" : "200"]);
    expect(statuses).toEqual(expect.arrayContaining(["401", "403", "429", "500", "503"]));
    // Where nothing is read of a request, nothing of it can be wrong.
    expect(statuses.includes("400")).toBe(!/ \/(account|balance|api-keys|webhooks)$/.test(name));
    expect(statuses.includes("402")).toBe(/(send|bulk)$/.test(name));
    expect(statuses.includes("404")).toBe(name.includes("{id}"));
    expect(statuses).not.toContain("409");
  }
});

test("an Idempotency-Key is taken by what creates and by the rotation of a secret", () => {
  for (const [name, { parameters = [], responses }] of operationsOf("paths")) {
    const takesKey = parameters.some(({ name }) => name === "Idempotency-Key");
    expect(takesKey).toBe("201" in responses || name.endsWith("rotate-secret"));
    const success = responses["201"] ?? responses["200"];
    expect("Idempotency-Replayed" in (success?.headers ?? {})).toBe(takesKey);
  }
});

test("operations have names of their own, a known tag, and say which permission they need", () => {
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
  }
});

test("pages put data and pagination side by side, and every answer carries meta", () => {
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

test("every reference leads somewhere, and every property says what it is", () => {
  visitAll(document, "$ref", ({ $ref }) => expect(() => resolve(String($ref))).not.toThrow());
  const silent: string[] = [];
  visitAll(document, "properties", ({ properties }, at) => {
    if (at.includes("/examples/")) return;
    for (const [name, property] of Object.entries(properties as Record<string, Json>)) {
      if (!property.description && !property.$ref) silent.push(`${at}/${name}`);
    }
  });
  expect(silent).toEqual([]);
});

test("no object of an answer has fields that the document does not know", () => {
  const open: string[] = [];
  const visit = (schemas: Json, at: string) =>
    visitAll(schemas, "properties", (found, place) => {
      if (found.additionalProperties !== false && !place.endsWith("/details")) open.push(`${at}${place}`);
    });
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!name.endsWith("Request")) visit(schema, name);
  }
  for (const [name, { responses }] of operationsOf("paths")) visit(responses, name);
  expect(open).toEqual([]);
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

  test("stand at every request and every answer, and are valid", () => {
    for (const [name, { schema, examples }] of mediaOf()) {
      expect(Object.keys(examples ?? {}), name).not.toEqual([]);
      for (const [key, { value }] of Object.entries(examples ?? {})) {
        expect(faultsOf(schema, value), `${name} ${key}`).toBeNull();
      }
    }
  });

  test("would not be valid with a field too many, too few, or of another form", () => {
    const send = mediaOf().find(([name]) => name === "POST /messages/send 201")?.[1];
    const [good] = Object.values(send?.examples ?? {}) as Array<{ value: Json & { data: Json } }>;
    const { cost, ...rest } = good?.value.data ?? {};
    expect(cost).toBe(0.01);
    for (const data of [
      rest,
      { ...rest, cost: "0.01" },
      { ...rest, cost, extra: 1 },
      { ...rest, cost, sent_at: "now" },
    ]) {
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

  test("have ids of the form that ids have", () => {
    const ids = JSON.stringify(document).match(/\b[a-z]{3}_[0-9a-z]{20,}/g) ?? [];
    expect(ids.length).toBeGreaterThan(50);
    for (const id of ids) expect(id).toMatch(/^[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  });
});

test("the three events are described as the requests that they come in", () => {
  const webhooks = operationsOf("webhooks");
  const types = ["message.sent", "message.delivered", "message.failed"];
  expect(webhooks.map(([name]) => name)).toEqual(types.map((type) => `POST ${type}`));
  for (const [name, { parameters = [], requestBody }] of webhooks) {
    expect(parameters.map((parameter) => parameter.name)).toContain("Service-Signature");
    const media = requestBody?.content["application/json"];
    const [example] = Object.values(media?.examples ?? {});
    expect(faultsOf(media?.schema ?? {}, { ...(example?.value as Json), type: "message.other" }), name).not.toBeNull();
  }
});

test("the document says nothing of where it is served, and is the same when its code is loaded once more", async () => {
  expect(document.servers).toEqual([{ url: "/api/v1", description: expect.any(String) }]);
  const made = (globalThis as Record<symbol, unknown>)[Symbol.for("messaging-service.process")] as Map<string, unknown>;
  made.delete("rest.openapi");
  vi.resetModules();
  expect(await freshDocument()).toEqual(document);
});
