/** The operations of the served OpenAPI document, as far as requests can be generated from them. */
import type { Contract } from "../contract";

/** A JSON schema of a request, with the keywords that the document uses. */
export type RequestSchema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  not?: { const: string };
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: RequestSchema;
  anyOf?: RequestSchema[];
  additionalProperties?: RequestSchema;
  propertyNames?: RequestSchema;
  maxProperties?: number;
  properties?: Record<string, RequestSchema>;
  required?: string[];
};

type Parameter = { name: string; in: string; required?: boolean; schema: RequestSchema };

export type DocumentedOperation = {
  /** `POST /messages/send` */
  name: string;
  method: string;
  /** Path with parameters in braces. */
  path: string;
  query: Parameter[];
  body: RequestSchema | null;
};

/** Every operation of the document with references resolved. */
export const operationsOf = ({ document }: Contract): DocumentedOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const body = requestBody?.content?.["application/json"]?.schema;
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        query: parameters
          .map((parameter) => resolve<Parameter>(document, parameter))
          .filter((parameter) => parameter.in === "query"),
        body: body ? resolve<RequestSchema>(document, body) : null,
      };
    }),
  );

/** The target of a reference, or the value itself. */
function resolve<Value>(document: object, value: unknown): Value {
  const reference = (value as { $ref?: string }).$ref;
  if (!reference) return value as Value;
  const found = reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
  return resolve<Value>(document, found);
}
