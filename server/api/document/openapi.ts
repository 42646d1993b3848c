/** The OpenAPI 3.1 document of the REST API, generated from the procedures' schemas. */
import { generateOpenApiDocument, type OpenAPIObject } from "trpc-to-openapi";
import { stringify } from "yaml";
import { SCOPE_DESCRIPTIONS, type Scope } from "../../api-keys/scopes";
import { defineProcessValue } from "../../core/process";
import type { OperationMeta } from "../../core/trpc";
import { API_VERSION } from "../../core/wire";
import { type Operation, tableOf } from "../operations";
import { appRouter } from "../router";
import type { OperationExamples } from "./account-examples";
import { type CodeSample, codeSamplesOf } from "./code-samples";
import { examplesOf } from "./examples";
import { COMPONENTS, INFO_TEXT, NAMED_SCHEMAS, TAGS } from "./parts";
import { postmanCollection } from "./postman";
import { EXAMPLE_META, REFUSALS } from "./refusals";
import { envelopeOf, type Json, tidy } from "./shape";
import { webhookItems } from "./webhooks";

/** Stands for the origin of an installation, which is not known when the document is generated. */
const ORIGIN = "https://origin.invalid";
/** The same within code samples, which need an absolute URL. */
const SAMPLE_ORIGIN = "https://sample-origin.invalid";
const UNKNOWN_ORIGIN = "https://sms.example.com";

type Content = { "application/json": { schema: Json; examples?: Json } };
type Parameter = { name: string; description?: string; schema: Json };
type OperationObject = {
  operationId: string;
  tags?: string[];
  description?: string;
  security?: unknown;
  parameters?: Array<Parameter | { $ref: string }>;
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; headers?: unknown; content: Content } | { $ref: string }>;
  "x-codeSamples"?: CodeSample[];
};

/** Error statuses that every operation can return. */
const ALWAYS = [400, 401, 403, 429, 500, 503];

type Procedure = {
  _def: { meta?: OperationMeta; inputs?: Array<{ shape?: Record<string, { description?: string }> }> };
};

const procedureOf = (operation: Operation) =>
  (appRouter._def.procedures as unknown as Record<string, Procedure>)[operation.procedure]?._def;

/** The error statuses of an operation: the common ones, and those that follow from its meta and path. */
function refusalsOf(operation: Operation, { meta }: Partial<Procedure["_def"]>): string[] {
  const own = meta?.openapi?.errorResponses;
  const statuses = new Set([
    ...ALWAYS,
    ...(Array.isArray(own) ? own : Object.keys(own ?? {}).map(Number)),
    ...(operation.segments.includes("{id}") ? [404] : []),
  ]);
  return [...statuses].sort((one, other) => one - other).map(String);
}

/** A text as it continues a sentence; abbreviations keep their capitals. */
const withSmallFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

function permissionLine(scope: OperationMeta["scope"]): string {
  if (!scope) return "Permission: any valid key.";
  const scopes = [scope].flat().map((each) => `\`${each}\` (${withSmallFirst(SCOPE_DESCRIPTIONS[each as Scope])})`);
  return `Permission: ${scopes.join(" or ")}.`;
}

/** The schema of a body, with its mutually exclusive fields, which the generator omits. */
const bodySchemaOf = (schema: Json, { oneOf }: OperationMeta): Json =>
  oneOf ? { ...schema, oneOf: Object.keys(oneOf).map((name) => ({ required: [name] })) } : schema;

const valuesOf = (examples: OperationExamples["responses"], wrap: (value: unknown) => unknown = (value) => value) =>
  Object.fromEntries(
    Object.entries(examples).map(([name, { summary, value }]) => [name, { summary, value: wrap(value) }]),
  );

/** The cursor of a page, which is in `meta`. */
const cursorIn = (value: unknown): object =>
  typeof value === "object" && value !== null && "next_cursor" in value ? { next_cursor: value.next_cursor } : {};

function successOf(operation: Operation, generated: OperationObject, examples: OperationExamples | null) {
  const response = generated.responses["200"];
  const schema = response && "content" in response ? response.content["application/json"].schema : {};
  const data = envelopeOf(schema.properties as Record<string, Json> | undefined, schema);
  const properties = {
    success: { type: "boolean", const: true, description: "Always true." },
    ...data,
    meta: { $ref: "#/components/schemas/Meta" },
  };
  const wrap = (value: unknown) => ({
    success: true,
    ...envelopeOf(value as Record<string, unknown>, value),
    meta: { ...EXAMPLE_META, ...cursorIn(value) },
  });
  const common = Object.keys(COMPONENTS.headers).filter((name) => /^(RateLimit|(X-)?Request-Id)/.test(name));
  const headers = [...common, "Preference-Applied", ...(operation.keyed ? ["Idempotency-Replayed"] : [])];
  return {
    description: operation.creates ? "Created." : "Done.",
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      "application/json": {
        schema: { type: "object", properties, required: Object.keys(properties) },
        ...(examples ? { examples: valuesOf(examples.responses, wrap) } : {}),
      },
    },
  };
}

/** The samples of an operation, which send the first of its examples. */
function samplesOf(operation: Operation, generated: OperationObject, examples: OperationExamples | null) {
  const response = generated.responses["200"];
  const fields = response && "content" in response ? response.content["application/json"].schema.properties : {};
  const example = Object.values(examples?.requests ?? {})[0]?.value ?? null;
  const call = {
    method: operation.method,
    path: operation.segments.join("/"),
    procedure: operation.procedure,
    operationId: generated.operationId,
    isKeyed: operation.keyed,
    body: example as Record<string, unknown> | null,
    isPaged: "pagination" in ((fields as Json | undefined) ?? {}),
  };
  return codeSamplesOf(call, `${SAMPLE_ORIGIN}/api/v1`);
}

/** Marks a POST that may be repeated without an Idempotency-Key, for clients generated from the document. */
const REPEATABLE = "x-repeatable";

/** Completes a generated operation. Adds the schema of its body to `schemas`, by name. */
function completeOperation(operation: Operation, generated: OperationObject, schemas: Json): OperationObject {
  const { meta, inputs } = procedureOf(operation) ?? {};
  const examples = examplesOf(operation.procedure);
  const { operationId, requestBody, parameters = [], description } = generated;
  const shape = inputs?.[0]?.shape ?? {};
  // The generator unwraps optional parameters and loses their descriptions.
  const described = parameters.map((parameter) =>
    "schema" in parameter
      ? {
          ...parameter,
          // Each pair of an object is a separate parameter: `metadata[key]=value`.
          ...(parameter.schema.type === "object" ? { style: "deepObject", explode: true } : {}),
          description: shape[parameter.name]?.description ?? parameter.schema.description,
        }
      : parameter,
  );
  const shared = [
    ...(operation.keyed ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    { $ref: "#/components/parameters/Prefer" },
  ];
  const bodyName = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
  if (requestBody) schemas[bodyName] = bodySchemaOf(requestBody.content["application/json"].schema, meta ?? {});
  const body = requestBody && {
    required: true,
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${bodyName}` },
        ...(examples?.requests ? { examples: valuesOf(examples.requests) } : {}),
      },
    },
  };
  return {
    ...generated,
    description: [description, permissionLine(meta?.scope)].filter(Boolean).join("\n\n"),
    security: [{ apiKey: [] }],
    ...(meta?.repeatable ? { [REPEATABLE]: true } : {}),
    parameters: [...described, ...shared] as Parameter[],
    ...(body ? { requestBody: body } : {}),
    responses: {
      [operation.creates ? "201" : "200"]: successOf(operation, generated, examples),
      ...Object.fromEntries(
        refusalsOf(operation, { meta }).map((status) => [
          status,
          { $ref: `#/components/responses/${REFUSALS[status]?.name}` },
        ]),
      ),
    },
    "x-codeSamples": samplesOf(operation, generated, examples),
  };
}

/**
 * The generated document. The generator adds a second version, `…Output`, of a named schema that occurs twice; named
 * schemas occur only in responses, so references to that version become references to the name.
 */
function generate(): OpenAPIObject {
  const text = JSON.stringify(
    generateOpenApiDocument(appRouter, {
      title: "Messaging Service",
      version: API_VERSION,
      openApiVersion: "3.1.0",
      baseUrl: "/api/v1",
      defs: NAMED_SCHEMAS,
    }),
  );
  return JSON.parse(
    text.replace(/(#\/components\/schemas\/\w+)Output"/g, (whole, ref: string) =>
      (ref.split("/").at(-1) ?? "") in NAMED_SCHEMAS ? `${ref}"` : whole,
    ),
  ) as OpenAPIObject;
}

function makeDocument(): OpenAPIObject {
  const generated = generate();
  const generatedSchemas = generated.components?.schemas ?? {};
  const table = tableOf(appRouter);
  const schemas: Json = Object.fromEntries(
    Object.keys(NAMED_SCHEMAS).map((name) => [name, generatedSchemas[`${name}Output`] ?? generatedSchemas[name]]),
  );
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const operation of [...table.exact.values(), ...table.withParams]) {
    const path = operation.segments.join("/");
    const method = operation.method.toLowerCase();
    const own = (generated.paths?.[path] as Record<string, OperationObject> | undefined)?.[method];
    if (own) paths[path] = { ...paths[path], [method]: completeOperation(operation, own, schemas) };
  }
  const tagIndex = (methods: Record<string, OperationObject>) =>
    TAGS.findIndex(({ name }) => name === Object.values(methods)[0]?.tags?.[0]);
  const sorted = Object.entries(paths).sort(([, one], [, other]) => tagIndex(one) - tagIndex(other));
  return tidy({
    openapi: generated.openapi,
    info: {
      title: "Messaging Service",
      version: API_VERSION,
      description: INFO_TEXT,
      contact: { name: "The operator of this installation", url: `${ORIGIN}/docs` },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: `${ORIGIN}/api/v1`, description: "This installation." }],
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths: Object.fromEntries(sorted),
    webhooks: webhookItems(),
    components: { ...COMPONENTS, schemas: { ...schemas, ...COMPONENTS.schemas } },
  }) as OpenAPIObject;
}

const jsonText = defineProcessValue("rest.openapi", () => JSON.stringify(makeDocument()));
const yamlText = defineProcessValue("rest.openapi_yaml", () =>
  // Aliases would save bytes, but some parsers refuse them.
  stringify(JSON.parse(jsonText()), { aliasDuplicateObjects: false, lineWidth: 120 }),
);
const postmanJson = defineProcessValue("rest.postman", () =>
  JSON.stringify(postmanCollection(JSON.parse(jsonText()) as object), null, 2),
);

const withOrigin = (text: string, origin: string): string =>
  text.replaceAll(SAMPLE_ORIGIN, origin || UNKNOWN_ORIGIN).replaceAll(ORIGIN, origin);

/** The document; its URLs are relative, so it is the same in every installation. */
export const openApiDocument = (): OpenAPIObject => JSON.parse(openApiText("")) as OpenAPIObject;

/** The document as JSON. @param origin of this installation, such as `https://sms.example.com`; empty: relative URLs. */
export const openApiText = (origin: string): string => withOrigin(jsonText(), origin);

/** The same as YAML. */
export const openApiYaml = (origin: string): string => withOrigin(yamlText(), origin);

/** The Postman collection as JSON, with absolute URLs. @param origin of this installation. */
export const postmanText = (origin: string): string => withOrigin(postmanJson(), origin);
