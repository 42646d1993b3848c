import { generateOpenApiDocument, type OpenAPIObject } from "trpc-to-openapi";
import { publicUrl } from "../core/env";
import { perProcess } from "../core/process";
import { API_VERSION } from "../core/wire";
import { appRouter } from "./router";

type Schema = Record<string, unknown>;
type Operation = {
  security?: unknown;
  parameters?: unknown[];
  responses: Record<
    string,
    { description: string; headers?: unknown; content?: { "application/json"?: { schema: Schema } } }
  >;
};

const object = (properties: Schema, required = Object.keys(properties)): Schema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const META = object({
  request_id: { type: "string", description: "Id of the request, prefix req_; quote it when you ask for help." },
  api_version: { type: "string", const: API_VERSION },
});

const ERROR = object({
  success: { type: "boolean", const: false },
  error: object({
    type: {
      type: "string",
      enum: [
        "invalid_request_error",
        "authentication_error",
        "authorization_error",
        "balance_error",
        "rate_limit_error",
        "provider_error",
        "api_error",
      ],
    },
    code: { type: "string", description: "Machine-readable code." },
    message: { type: "string", description: "The reason in words." },
    param: { type: ["string", "null"], description: "The offending parameter as you wrote it, e.g. `recipients[3]`." },
    details: { type: "object", description: "More about it; `reason` is the finer code." },
  }),
  meta: { $ref: "#/components/schemas/Meta" },
});

const REFUSALS: Record<string, string> = {
  400: "The input is wrong; `error.param` names it.",
  401: "No API key, or one that is unknown, revoked or expired.",
  402: "The balance does not cover the request. Nothing was sent.",
  403: "The key lacks the permission, or may not be used from this address.",
  404: "There is nothing with this id in your account.",
  409: "The Idempotency-Key was used before with another request.",
  429: "More requests or messages than the key allows; see Retry-After.",
  500: "Something went wrong on our side.",
};

const ALWAYS = ["401", "403", "429", "500"];

/** The statuses beside success that an operation can answer. */
function refusalsOf(method: string, path: string, operation: Operation): string[] {
  const sends = path === "/messages/send" || path === "/messages/bulk";
  return [
    ...(method === "post" || (operation.parameters?.length ?? 0) > 0 ? ["400"] : []),
    ...(sends ? ["402", "409"] : []),
    ...(path.includes("{id}") ? ["404"] : []),
    ...ALWAYS,
  ].sort();
}

const RATE_HEADERS = Object.fromEntries(
  [
    ["RateLimit-Limit", "Requests that the key may make per minute."],
    ["RateLimit-Remaining", "Requests left in this minute."],
    ["RateLimit-Reset", "Seconds until the next minute."],
  ].map(([name, description]) => [name, { description, schema: { type: "string" } }]),
);

const IDEMPOTENCY_KEY = {
  in: "header",
  name: "Idempotency-Key",
  required: false,
  description:
    "Your own key, 1 to 255 visible ASCII characters, kept 24 h: the same request with it is carried out once.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** A page's two halves stand side by side in the envelope, as server/api/rest.ts puts them. */
function envelopeOf(schema: Schema): Schema {
  const properties = schema.properties as Schema | undefined;
  const isPage = properties !== undefined && "items" in properties && "pagination" in properties;
  return object({
    success: { type: "boolean", const: true },
    ...(isPage ? { data: properties.items, pagination: properties.pagination } : { data: schema }),
    meta: { $ref: "#/components/schemas/Meta" },
  });
}

function dress(method: string, path: string, operation: Operation): void {
  const success = operation.responses["200"]?.content?.["application/json"]?.schema ?? {};
  const refusals = refusalsOf(method, path, operation);
  operation.security = [{ apiKey: [] }];
  if (path === "/messages/send" || path === "/messages/bulk")
    operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  operation.responses = {
    [method === "post" ? "201" : "200"]: {
      description: "Done.",
      headers: RATE_HEADERS,
      content: { "application/json": { schema: envelopeOf(success) } },
    },
    ...Object.fromEntries(
      refusals.map((status) => [
        status,
        {
          description: REFUSALS[status] ?? "",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      ]),
    ),
  };
}

/** The OpenAPI 3.1 document of the REST API, made of the procedures' own schemas; it shows what the wire carries. */
export const openApiDocument = (): OpenAPIObject =>
  perProcess("rest.openapi", () => {
    const document = generateOpenApiDocument(appRouter, {
      title: "Messaging Service",
      description: "Send SMS, follow each to its final state, and be told by signed webhooks.",
      version: API_VERSION,
      openApiVersion: "3.1.0",
      baseUrl: `${publicUrl()}/api/v1`,
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key, `ds_live_…`." } },
    });
    for (const [path, methods] of Object.entries(document.paths ?? {})) {
      for (const [method, operation] of Object.entries(methods)) dress(method, path, operation as Operation);
    }
    document.components = { ...document.components, responses: {}, schemas: { Meta: META, Error: ERROR } };
    return document;
  });
