import { contractOf } from "./contract";
import type { Service } from "./service";

type Meta = { request_id: string; api_version: string };
type Pagination = { page: number; limit: number; total: number; pages: number; has_more: boolean };

type Resource = Record<string, unknown>;

/** A response of the REST API: parsed body, status and headers. Lists have an array as `data`. */
type ApiResponse<Data = Resource> = {
  status: number;
  headers: Headers;
  body: {
    success: boolean;
    data: Data;
    error?: { type: string; code: string; message: string; param: string | null; details: Resource };
    pagination?: Pagination;
    meta: Meta;
  };
};

export type Api = {
  get: <Data = Resource>(path: string) => Promise<ApiResponse<Data>>;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<ApiResponse>;
  patch: (path: string, body: unknown) => Promise<ApiResponse>;
  delete: (path: string) => Promise<ApiResponse>;
};

/**
 * The REST API with one key. Paths are those of the documentation, such as `/messages/send`. Every response is checked
 * against the contract first; one that breaks it is thrown.
 */
export function apiWith(service: Service, key: string): Api {
  async function call<Data = Resource>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Data>> {
    const contract = await contractOf(service);
    const json = body === undefined ? undefined : JSON.stringify(body);
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: json,
    });
    const { status, headers: answered } = answer;
    const exchange = { method, path, sent: body, status, headers: answered, text: await answer.text() };
    return { status, headers: answered, body: contract.check(exchange) as ApiResponse<Data>["body"] };
  }
  return {
    get: (path) => call("GET", path),
    post: (path, body, headers) => call("POST", path, body, headers),
    patch: (path, body) => call("PATCH", path, body),
    delete: (path) => call("DELETE", path),
  };
}
