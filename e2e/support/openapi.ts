/** The served OpenAPI document as a caller's own tests read it: operations, the shapes of requests and of answers. */
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Service } from "./service";

export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Content = { content?: { "application/json"?: { schema: Schema } } };
type OperationObject = { parameters?: unknown[]; requestBody?: Content; responses: Record<string, unknown> };
type Document = { paths: Record<string, Record<string, OperationObject>>; components: Record<string, unknown> };

/** One operation of the document. */
export type DocumentedOperation = {
  /** `POST /messages/send` */
  name: string;
  method: string;
  /** With parameters in braces. */
  path: string;
  query: Parameter[];
  body: Schema | null;
  /** The one status of success. */
  success: number;
  statuses: number[];
  /** Whether a parsed body is one that the document allows. */
  allows: (body: unknown) => boolean;
  /** What is wrong with an answer of that status by the document; null: nothing. */
  faultOf: (status: number, answer: unknown) => string | null;
};

const DOCUMENT_KEY = "api";

/** Reads the document that the service serves, as anybody may without a key. */
export async function readOperations(service: Service): Promise<DocumentedOperation[]> {
  const answer = await fetch(`${service.url}/api/v1/openapi.json`);
  const document = (await answer.json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats(ajv);
  ajv.addSchema({ ...document, $id: DOCUMENT_KEY }, DOCUMENT_KEY);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(ajv, document, path, method, operation)),
  );
}

function readOperation(
  ajv: Ajv2020,
  document: Document,
  path: string,
  method: string,
  operation: OperationObject,
): DocumentedOperation {
  const name = `${method.toUpperCase()} ${path}`;
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));
  const at = ["paths", path, method];
  const body = operation.requestBody?.content?.["application/json"]?.schema ?? null;
  const validators = new Map<number, ValidateFunction>();
  for (const [status, response] of Object.entries(operation.responses)) {
    const reference = (response as { $ref?: string }).$ref;
    const parts = reference ? reference.slice(2).split("/") : [...at, "responses", status];
    validators.set(Number(status), compile(ajv, [...parts, "content", "application/json", "schema"]));
  }
  const validateBody = body && compile(ajv, [...at, "requestBody", "content", "application/json", "schema"]);
  const statuses = [...validators.keys()];
  return {
    name,
    method: method.toUpperCase(),
    path,
    query: parameters.filter((parameter) => parameter.in === "query"),
    body: body && resolve<Schema>(document, body),
    success: statuses.find((status) => status < 300) ?? 0,
    statuses,
    allows: (value) => validateBody?.(value) !== false,
    faultOf: (status, answer) => {
      const validate = validators.get(status);
      if (!validate) return `${status} is not documented for ${name}`;
      if (validate(answer)) return null;
      const [error] = validate.errors ?? [];
      return `${error?.instancePath || "the answer"} ${error?.message}`;
    },
  };
}

const compile = (ajv: Ajv2020, parts: string[]): ValidateFunction =>
  ajv.compile({ $ref: `${DOCUMENT_KEY}#/${parts.map(escapePointer).join("/")}` });

/** A part of a JSON pointer in a URI fragment. */
const escapePointer = (part: string): string => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** What a reference in the document leads to, or the value itself. */
function resolve<Value>(document: Document, value: unknown): Value {
  const reference = (value as { $ref?: string }).$ref;
  if (!reference) return value as Value;
  const found = reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
  return resolve<Value>(document, found);
}

/** The operation that a method and a path below /api/v1 (percent-encoded, without query) lead to; null: none. */
export function operationAt(
  operations: readonly DocumentedOperation[],
  method: string,
  path: string,
): DocumentedOperation | null {
  const candidates = operations.filter((operation) => operation.method === method);
  const exact = candidates.find((operation) => operation.path === path);
  return exact ?? candidates.find((operation) => fits(operation.path.split("/"), path.split("/"))) ?? null;
}

const fits = (expected: string[], given: string[]): boolean =>
  expected.length === given.length &&
  expected.every((part, at) => (part.startsWith("{") ? isParameter(given[at] ?? "") : part === given[at]));

/** A parameter is a segment that is not empty and whose percent-encoding can be read. */
function isParameter(segment: string): boolean {
  try {
    return decodeURIComponent(segment) !== "";
  } catch {
    return false;
  }
}
