/** The Postman collection (format 2.1.0), made from the API document. */
import { exampleIdOf } from "./code-samples";

type Json = Record<string, unknown>;
type Examples = Record<string, { summary?: string; value: unknown }>;
type Parameter = { in: string; name: string; description?: string; schema?: Json; example?: unknown };
type Content = { content?: { "application/json"?: { examples?: Examples } } };
type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Content;
  responses: Record<string, Content & { description?: string }>;
};
type Document = {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, Operation>>;
  components?: { parameters?: Record<string, Parameter> };
};

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const JSON_BODY = { key: "Content-Type", value: "application/json" };

const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);
const firstOf = (examples: Examples | undefined) => Object.values(examples ?? {})[0];
const examplesOf = (content: Content | undefined) => content?.content?.["application/json"]?.examples;

/** A header or query parameter; disabled until somebody enables it, unless it is sent with every request. */
const optional = ({ name, description }: Parameter, value: string, isOn = false): Json => ({
  key: name,
  value,
  ...(description ? { description } : {}),
  ...(isOn ? {} : { disabled: true }),
});

/** A first value: the schema's default, or its first choice. */
function sampleOf({ schema, example }: Parameter): string {
  const choices = Array.isArray(schema?.enum) ? schema.enum : [];
  return String(example ?? schema?.default ?? choices[0] ?? "");
}

function urlOf(path: string, parameters: Parameter[]): Json {
  const named = path.replace(/\{(\w+)\}/g, ":$1");
  const query = parameters.filter(({ in: place }) => place === "query").map((one) => optional(one, sampleOf(one)));
  const variable = parameters
    .filter(({ in: place }) => place === "path")
    .map(({ name, description }) => ({ key: name, value: exampleIdOf(path), ...(description ? { description } : {}) }));
  return {
    raw: `{{baseUrl}}${named}`,
    host: ["{{baseUrl}}"],
    path: named.split("/").filter(Boolean),
    ...(query.length > 0 ? { query } : {}),
    ...(variable.length > 0 ? { variable } : {}),
  };
}

function requestOf(method: string, path: string, operation: Operation, parameters: Parameter[]): Json {
  // Each press of the button gets a new key; the other headers choose the form of the response.
  const headers = parameters
    .filter(({ in: place }) => place === "header")
    .map((one) => (one.name === "Idempotency-Key" ? optional(one, "{{$guid}}", true) : optional(one, sampleOf(one))));
  const body = firstOf(examplesOf(operation.requestBody));
  return {
    method: method.toUpperCase(),
    header: [...headers, ...(body ? [JSON_BODY] : [])],
    url: urlOf(path, parameters),
    ...(operation.description ? { description: operation.description } : {}),
    ...(body ? { body: { mode: "raw", raw: jsonText(body.value), options: { raw: { language: "json" } } } } : {}),
  };
}

function itemOf(method: string, path: string, operation: Operation, shared: Record<string, Parameter>): Json {
  const parameters = (operation.parameters ?? []).map((one) =>
    "$ref" in one ? (shared[one.$ref.split("/").at(-1) ?? ""] as Parameter) : one,
  );
  const request = requestOf(method, path, operation, parameters);
  const response = Object.entries(operation.responses).flatMap(([status, described]) =>
    Object.values(examplesOf(described) ?? {}).map(({ summary, value }) => ({
      name: summary ?? described.description ?? status,
      originalRequest: request,
      status: status === "201" ? "Created" : "OK",
      code: Number(status),
      _postman_previewlanguage: "json",
      header: [JSON_BODY],
      body: jsonText(value),
    })),
  );
  return { name: operation.summary ?? operation.operationId, request, response };
}

/**
 * A collection with a folder per tag and a request per operation, including its examples. `baseUrl` and `apiKey` are variables of
 * the collection; the key is empty.
 * @param document the API document with absolute URLs.
 */
export function postmanCollection(document: object): Json {
  const { info, servers = [], tags = [], paths = {}, components = {} } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags?.[0],
      item: itemOf(method, path, operation, components.parameters ?? {}),
    })),
  );
  const folders = tags.flatMap(({ name, description }) => {
    const item = operations.filter(({ tag }) => tag === name).map((operation) => operation.item);
    return item.length === 0 ? [] : [{ name, ...(description ? { description } : {}), item }];
  });
  return {
    info: { name: info.title, version: info.version, description: info.description ?? "", schema: SCHEMA },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: servers[0]?.url ?? "", type: "string" },
      { key: "apiKey", value: "", type: "string" },
    ],
    item: folders,
  };
}
