import type { AnyProcedure } from "@trpc/server";
import type { OperationMeta } from "../core/trpc";

/** A REST operation, derived from a procedure's OpenAPI meta. */
export type Operation = {
  method: string;
  /** Segments of the path; parameters are in braces. */
  segments: string[];
  /** Path of the procedure in the router, e.g. `messages.send`. */
  procedure: string;
  call: AnyProcedure;
  /** Whether success is 201: for every POST, unless its meta says otherwise. */
  creates: boolean;
  /** Whether it supports Idempotency-Key: if it creates, or its meta says so. */
  keyed: boolean;
};

export type OperationTable = { exact: Map<string, Operation>; withParams: Operation[] };

type RouterLike = { _def: { procedures: Record<string, unknown> } };

/** The operations of a router: its procedures with `openapi` meta. */
export function tableOf(router: RouterLike): OperationTable {
  const table: OperationTable = { exact: new Map(), withParams: [] };
  for (const [procedure, value] of Object.entries(router._def.procedures)) {
    const { meta, type } = (value as AnyProcedure)._def as { meta?: OperationMeta; type: string };
    if (!meta?.openapi || type === "subscription") continue;
    const { method, path } = meta.openapi;
    const creates = method === "POST" && meta.creates !== false;
    const operation: Operation = {
      method,
      segments: path.split("/"),
      procedure,
      call: value as AnyProcedure,
      creates,
      keyed: creates || meta.keyed === true,
    };
    if (path.includes("{")) table.withParams.push(operation);
    else table.exact.set(`${method} ${path}`, operation);
  }
  return table;
}

/** The operation for a method and a path (percent-encoded, without query), and its path parameters; null when none. */
export function matchOperation(
  table: OperationTable,
  method: string,
  path: string,
): { operation: Operation; params: Record<string, string> } | null {
  const exact = table.exact.get(`${method} ${path}`);
  if (exact) return { operation: exact, params: {} };
  const given = path.split("/");
  for (const operation of table.withParams) {
    if (operation.method !== method || operation.segments.length !== given.length) continue;
    const params = matchSegments(operation.segments, given);
    if (params) return { operation, params };
  }
  return null;
}

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
