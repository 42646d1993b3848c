import { beforeAll, describe, expect, test } from "vitest";
import { postmanCollection } from "./postman";

type Pair = { key: string; value: string; disabled?: boolean };
type Request = {
  method: string;
  header: Pair[];
  url: { raw: string; host: string[]; path: string[]; query?: Pair[]; variable?: Pair[] };
  body?: { mode: string; raw: string };
};
type Item = { name: string; request: Request; response: { code: number; body: string; originalRequest: Request }[] };
type Collection = { info: { schema: string }; auth: object; variable: Pair[]; item: { name: string; item: Item[] }[] };
type Document = {
  tags: { name: string }[];
  paths: Record<string, Record<string, { tags: string[]; summary: string; requestBody?: object }>>;
};

const ORIGIN = "https://sms.example.net";
let document: Document;
let collection: Collection;
let served: string;

beforeAll(async () => {
  Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
  const { openApiText, postmanText } = await import("./openapi");
  served = postmanText(ORIGIN);
  document = JSON.parse(openApiText(ORIGIN));
  collection = postmanCollection(document) as unknown as Collection;
});

const requestNamed = (name: string): Request => {
  const found = collection.item.flatMap(({ item }) => item).find((item) => item.name === name);
  if (!found) throw new Error(`There is no request ${name}.`);
  return found.request;
};
const keysOf = (pairs: Pair[] = []) => pairs.map(({ key }) => key);

test("is made from the document of this installation", () => {
  expect(JSON.parse(served)).toEqual(collection);
});

test("has a folder per tag with every operation of the document", () => {
  const made = collection.item.flatMap((folder) =>
    folder.item.map(({ name, request }) => [folder.name, name, request.method, request.url.raw]),
  );
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, summary }]) => [
      tags[0],
      summary,
      method.toUpperCase(),
      `{{baseUrl}}${path.replace("{id}", ":id")}`,
    ]),
  );
  expect(made.sort()).toEqual(documented.sort());
  expect(made.length).toBeGreaterThan(25);
});

test("declares its format, authenticates with an empty variable, and has the address", () => {
  expect(collection.info.schema).toBe("https://schema.getpostman.com/json/collection/v2.1.0/collection.json");
  expect(collection.auth).toEqual({
    type: "bearer",
    bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }],
  });
  const variables = Object.fromEntries(collection.variable.map(({ key, value }) => [key, value]));
  expect(variables).toEqual({ baseUrl: `${ORIGIN}/api/v1`, apiKey: "" });
});

describe("a request", () => {
  test("has its first example as body, and each press of the button sends a new Idempotency-Key", () => {
    const { header, body } = requestNamed("Send a message");
    expect(JSON.parse(body?.raw ?? "")).toEqual({ to: "+14155550123", from: "DEMO", body: "Your code is 284917." });
    expect(header).toContainEqual(expect.objectContaining({ key: "Idempotency-Key", value: "{{$guid}}" }));
    expect(header.find(({ key }) => key === "Idempotency-Key")?.disabled).toBeUndefined();
    expect(header.find(({ key }) => key === "Prefer")?.disabled).toBe(true);
  });

  test("has its query parameters disabled, with their descriptions", () => {
    const { query = [] } = requestNamed("List messages").url;
    expect(keysOf(query)).toEqual(expect.arrayContaining(["status", "to", "page", "limit"]));
    for (const parameter of query) expect(parameter).toMatchObject({ disabled: true, description: expect.any(String) });
  });

  test("has an example for the id in its path", () => {
    const { url } = requestNamed("Get a message");
    expect(url.path).toEqual(["messages", ":id"]);
    expect(url.variable).toEqual([expect.objectContaining({ key: "id", value: expect.stringMatching(/^msg_/) })]);
  });

  test("keeps the examples of its responses, each with its request", () => {
    for (const { name, request, response } of collection.item.flatMap(({ item }) => item)) {
      expect(response.length, name).toBeGreaterThan(0);
      for (const { code, body, originalRequest } of response) {
        expect([200, 201]).toContain(code);
        expect(JSON.parse(body)).toMatchObject({ success: true });
        expect(originalRequest).toEqual(request);
      }
    }
  });
});
