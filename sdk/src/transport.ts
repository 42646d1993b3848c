/** Requests by operation id, typed by the API document. */
import { apiErrorOf, isObject } from "./errors.js";
import { OPERATIONS } from "./operations.js";
import { fetchWithRetries } from "./retries.js";
import type { components, operations } from "./schema.js";
import { userAgentOf } from "./user-agent.js";

export type ClientOptions = {
  /** URL of the API with its version: `https://sms.example.com/api/v1`. */
  baseUrl: string;
  /** The API key, `ds_live_…` or `ds_test_…`. */
  apiKey: string;
  /** Another implementation of fetch, for example one that uses a proxy. */
  fetch?: (request: Request) => Promise<Response>;
  /** Retries after the first try; 3 by default. */
  retries?: number;
  /** Wait before the first retry in milliseconds, doubled each time and partly random; 250 by default. */
  backoffMs?: number;
  /** Timeout of each try in milliseconds; 30,000 by default. */
  timeoutMs?: number;
  /**
   * Handling of fields and parameters that the service does not know. `strict`, the default, refuses them with 400
   * `unknown_parameter`; `lenient` ignores them and names them in `meta.warnings`.
   */
  handling?: "strict" | "lenient";
  /** How your program names itself, such as `shop/1.2`; it precedes the client's own name in the `User-Agent`, outside browsers. */
  userAgent?: string;
};

/** Options of one call. */
export type CallOptions = {
  /** Aborts the call, also between tries. */
  signal?: AbortSignal;
  /** Replaces the key that the client generates. Only operations that create something take one. */
  idempotencyKey?: string;
};

export type OperationId = keyof typeof OPERATIONS & keyof operations;
type Parameters<Id extends OperationId> = operations[Id]["parameters"];
/** Fields and filters that are times take a Date too. */
type WithDates<Q> = {
  [Name in keyof Q]: Name extends `created_${string}` | "send_at" | "expires_at" | "since" ? Q[Name] | Date : Q[Name];
};
export type Query<Id extends OperationId> = WithDates<
  NonNullable<Parameters<Id> extends { query?: infer Q } ? Q : never>
>;
type Path<Id extends OperationId> = Parameters<Id> extends { path: infer P } ? P : never;
type Json<T> = T extends { content: { "application/json": infer B } } ? B : never;
type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody?: infer R } ? R : never;
/** The JSON body of an operation's request. */
export type Body<Id extends OperationId> = WithDates<Json<NonNullable<RequestBody<Id>>>>;
type Responses<Id extends OperationId> = operations[Id]["responses"];
/** The envelope of an operation's success. */
type Envelope<Id extends OperationId> = Json<Responses<Id>[Extract<keyof Responses<Id>, 200 | 201>]>;
/** `data` of an operation's success. */
export type Data<Id extends OperationId> = Envelope<Id> extends { data: infer D } ? D : never;

/** The parts of a request besides its operation. */
type Input<Id extends OperationId> = CallOptions &
  ([Path<Id>] extends [never] ? { path?: undefined } : { path: Path<Id> }) & { query?: Query<Id> } & ([
    Body<Id>,
  ] extends [never]
    ? { body?: undefined }
    : undefined extends RequestBody<Id>
      ? { body?: Body<Id> }
      : { body: Body<Id> });

/** A success: the envelope, and the raw response with its headers. */
type Reply<Id extends OperationId> = Envelope<Id> & { response: Response };
export type Meta = components["schemas"]["Meta"];

/** Makes a request. @throws ApiError for every response that is not a success. */
export type Transport = <Id extends OperationId>(
  id: Id,
  ...input: Record<never, never> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>]
) => Promise<Reply<Id>>;

/** Inserts parameters into a path. @throws TypeError for an empty one, `.` and `..`, which would address another operation. */
function fill(path: string, parameters: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (typeof value !== "string" || value === "") throw new TypeError(`The parameter ${name} is empty.`);
    if (value === "." || value === "..") throw new TypeError(`The parameter ${name} is a step within a path.`);
    return encodeURIComponent(value);
  });
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Also true for objects of another realm. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @throws TypeError for a value that no parameter has: it would be left out, and a list without its filter is longer. */
function textOf(name: string, value: unknown): string {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new TypeError(`The parameter ${name} is not a valid date.`);
    return value.toISOString();
  }
  if (["string", "number", "boolean", "bigint"].includes(typeof value)) return String(value);
  throw new TypeError(`The parameter ${name} has no form as text.`);
}

function queryOf(query: object): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (isAbsent(value)) return [];
    if (typeof value !== "object" || !isPlain(value)) return [[name, textOf(name, value)]];
    return Object.entries(value).flatMap(([key, each]): [string, string][] =>
      isAbsent(each) ? [] : [[`${name}[${key}]`, textOf(`${name}[${key}]`, each)]],
    );
  });
  const text = new URLSearchParams(given).toString();
  return text && `?${text}`;
}

/**
 * A body as JSON.
 * @throws TypeError for what JSON writes as null, an invalid date or a number such as NaN: a null may lift a limit, or send at once.
 */
function jsonOf(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    const given = this[name];
    if (given instanceof Date && Number.isNaN(given.getTime())) {
      throw new TypeError(`The field ${name} is not a valid date.`);
    }
    if (typeof given === "number" && !Number.isFinite(given)) throw new TypeError(`The field ${name} is ${given}.`);
    return value;
  });
}

type Success = { success: true; data: unknown };

/** The envelope of a success; null for anything else, such as the page of a proxy, which may have status 200 too. */
function successOf(body: unknown): Success | null {
  const isEnvelope = isObject(body) && body.success === true && "data" in body && isObject(body.meta);
  return isEnvelope ? (body as Success) : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type AnyInput = CallOptions & { path?: Record<string, unknown>; query?: object; body?: unknown };

/**
 * Makes the function that calls the API. A call of an operation that takes an Idempotency-Key gets a new one, the same for all its tries.
 * @throws TypeError for options that no request could be made with.
 */
export function createTransport(options: ClientOptions): Transport {
  // Programs without types pass what their environment lacks.
  if (!options.baseUrl) throw new TypeError("The base URL is missing.");
  if (!/^\s*https?:\/\//i.test(options.baseUrl))
    throw new TypeError("The base URL must be one of http:// or https://.");
  if (!options.apiKey?.trim()) throw new TypeError("The API key is missing.");
  // The platform's own error about such a header quotes the key.
  if (/[^\x20-\x7e]/.test(options.apiKey.trim())) throw new TypeError("The API key has characters that no key has.");
  const { apiKey, retries = 3, backoffMs = 250, timeoutMs = 30_000, handling = "strict" } = options;
  const baseUrl = options.baseUrl.trim().replace(/(?<!\/)\/+$/, "");
  const userAgent = userAgentOf(options.userAgent);
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));

  const send = async (id: OperationId, input: AnyInput = {}) => {
    const { method, path, isKeyed, isRepeatable } = OPERATIONS[id];
    const headers = new Headers({ accept: "application/json", authorization: `Bearer ${apiKey}` });
    headers.set("prefer", `handling=${handling}`);
    if (userAgent !== null) headers.set("user-agent", userAgent);
    if (input.body !== undefined) headers.set("content-type", "application/json");
    if (isKeyed) headers.set("idempotency-key", input.idempotencyKey ?? crypto.randomUUID());
    const request = new Request(baseUrl + fill(path, input.path ?? {}) + queryOf(input.query ?? {}), {
      method,
      headers,
      body: input.body === undefined ? null : jsonOf(input.body),
      signal: input.signal ?? null,
      // A redirect can turn a POST into a GET, and sends the request to another address.
      redirect: "manual",
    });
    const response = await fetchWithRetries(request, { fetch, retries, backoffMs, timeoutMs, isRepeatable });
    const body = parse(await response.clone().text());
    const success = response.ok ? successOf(body) : null;
    if (!success) throw apiErrorOf(response, response.status < 400 ? undefined : body);
    return { ...success, response };
  };
  // The table's entry decides the types of input and reply, which one function for all of them cannot express.
  return send as unknown as Transport;
}
