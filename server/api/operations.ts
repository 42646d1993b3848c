import type { AnyProcedure } from "@trpc/server";
import type { ZodType } from "zod";
import type { OperationMeta } from "../core/trpc";

/** A REST operation, derived from a procedure's OpenAPI meta. */
export type Operation = {
  method: string;
  /** Segments of the path; parameters are in braces. */
  segments: string[];
  /** Path of the procedure in the router, e.g. `messages.send`. */
  procedure: string;
  call: AnyProcedure;
  /** Whether success is 201: for every POST, unless its meta overrides it. */
  creates: boolean;
  /** Whether it supports Idempotency-Key: if it creates, or its meta declares it. */
  keyed: boolean;
  /** Names of the body's fields, or of the query's parameters for methods without a body; path parameters are not included. */
  inputs: ReadonlySet<string>;
  /** Fields, exactly one of which must be given, each with the names in `inputs` that are allowed only with it. */
  oneOf: Readonly<Record<string, readonly string[]>>;
  /** Names in `inputs` whose values are objects of text. */
  objects: ReadonlySet<string>;
  /** Whether the procedure takes any input. */
  takesInput: boolean;
  showsSecret: boolean;
};

/** Methods whose input is the body; the input of all others is the query. */
export const BODY_METHODS: ReadonlySet<string> = new Set(["POST", "PATCH"]);

/** `exact`: the operations of paths without parameters, by method and path. `fixed`: these paths. */
export type OperationTable = { exact: Map<string, Operation>; fixed: Set<string>; withParams: Operation[] };

type Described = { meta?: OperationMeta; type: string; inputs?: Array<{ shape?: Record<string, unknown> }> };
type RouterLike = { _def: { procedures: Record<string, unknown> } };

/** The operations of a router: the procedures with `openapi` meta. */
export function tableOf(router: RouterLike): OperationTable {
  const table: OperationTable = { exact: new Map(), fixed: new Set(), withParams: [] };
  for (const [procedure, value] of Object.entries(router._def.procedures)) {
    const { meta, type, inputs = [] } = (value as AnyProcedure)._def as Described;
    if (!meta?.openapi || type === "subscription") continue;
    const { method, path } = meta.openapi;
    const creates = method === "POST" && meta.creates !== false;
    const segments = path.split("/");
    const names = inputs.flatMap(({ shape }) => Object.keys(shape ?? {}));
    const operation: Operation = {
      method,
      segments,
      procedure,
      call: value as AnyProcedure,
      creates,
      keyed: creates || meta.keyed === true,
      objects: new Set(inputs.flatMap(({ shape }) => Object.entries(shape ?? {}).flatMap(objectName))),
      inputs: new Set(names.filter((name) => !segments.includes(`{${name}}`))),
      oneOf: meta.oneOf ?? {},
      takesInput: inputs.length > 0,
      showsSecret: meta.showsSecret === true,
    };
    if (path.includes("{")) {
      table.withParams.push(operation);
      continue;
    }
    table.exact.set(`${method} ${path}`, operation);
    table.fixed.add(path);
  }
  return table;
}

/** The name of a field that takes an object of text (it does not refuse an empty object), otherwise nothing. */
const objectName = ([name, field]: [string, unknown]): string[] =>
  (field as ZodType).safeParse({}).success ? [name] : [];

const METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;

/** `Allow` of a path: the methods of its operations, and those that every path with an operation has. Null: no operation. */
export function allowedAt(table: OperationTable, path: string): string | null {
  const own: string[] = METHODS.filter((method) => matchOperation(table, method, path));
  if (own.length === 0) return null;
  return [...(own[0] === "GET" ? ["GET", "HEAD", ...own.slice(1)] : own), "OPTIONS"].join(", ");
}

/** The names that an operation knows in a body with the given ones: some are allowed only with a certain other one. */
export function namesBeside({ inputs, oneOf }: Operation, given: readonly string[]): ReadonlySet<string> {
  const [chosen, ...others] = Object.keys(oneOf).filter((name) => given.includes(name));
  if (chosen === undefined || others.length > 0) return inputs;
  const foreign = Object.entries(oneOf).flatMap(([name, own]) => (name === chosen ? [] : own));
  return new Set([...inputs].filter((name) => !foreign.includes(name)));
}

export type Match = { operation: Operation; params: Record<string, string> };

/** The operation for a method and a path (percent-encoded, without query), and its path parameters; null when none. */
export function matchOperation(table: OperationTable, method: string, path: string): Match | null {
  const exact = table.exact.get(`${method} ${path}`);
  if (exact) return { operation: exact, params: {} };
  // `send` in /messages/send is never an id, whatever the method.
  if (table.fixed.has(path)) return null;
  const given = path.split("/");
  for (const operation of table.withParams) {
    if (operation.method !== method || operation.segments.length !== given.length) continue;
    const params = matchSegments(operation.segments, given);
    if (params) return { operation, params };
  }
  return null;
}

/** The canonical path of a request: the same for all spellings, such as `%5F` and `_` in an id. */
export const canonicalPath = ({ operation, params }: Match): string =>
  operation.segments
    .map((segment) => (segment.startsWith("{") ? encodeURIComponent(params[segment.slice(1, -1)] ?? "") : segment))
    .join("/");

function matchSegments(expected: string[], given: string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [at, segment] of expected.entries()) {
    const value = given[at] ?? "";
    if (!segment.startsWith("{")) {
      if (segment !== value) return null;
      continue;
    }
    const decoded = decode(value);
    if (!decoded) return null;
    params[segment.slice(1, -1)] = decoded;
  }
  return params;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
