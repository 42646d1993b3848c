import type { Contract, Envelope, Pagination, WireError } from "./contract";
import type { Service } from "./service";

/** A request: `body` as JSON, or `text` as it is. Without `headers` it has only a content type. */
export type Ask = { method: string; path: string; body?: unknown; text?: string; headers?: Record<string, string> };

export type CheckedResponse = { status: number; headers: Headers; body: Envelope };

type Page<Item> = { items: Item[]; pagination: Pagination };

/** The REST API with one key; every response is checked against the contract first. */
export type CheckedApi = {
  /** The response, whatever its status. */
  ask: (request: Ask) => Promise<CheckedResponse>;
  /** `data` of a 200. */
  get: <Data>(path: string) => Promise<Data>;
  /** A page of a list. */
  page: <Item>(path: string) => Promise<Page<Item>>;
  /** `data` of a 201, or of a 200 where nothing is created. */
  post: <Data>(path: string, body?: unknown, headers?: Record<string, string>) => Promise<Data>;
  /** `data` of a 200. */
  delete: <Data>(path: string) => Promise<Data>;
  /** The `error` of a request that must be refused with this status and these fields. */
  refusal: (status: number, request: Ask) => Promise<WireError>;
  /** The same API with another key; null: with none. */
  withKey: (key: string | null) => CheckedApi;
};

/** The text parsed as JSON, without a byte order mark before it; undefined when it is not JSON. */
function parsed(text = ""): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}

function succeeded(request: Ask, { status, body }: CheckedResponse): Envelope {
  if (body.success) return body;
  throw new Error(`${request.method} ${request.path} was refused with ${status}: ${JSON.stringify(body.error)}`);
}

/** The REST API with one key. Paths are those of the documentation, such as `/messages/send`. */
export function checkedApi(service: Service, contract: Contract, key: string | null): CheckedApi {
  const ask = async (request: Ask): Promise<CheckedResponse> => {
    const text = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const answer = await fetch(`${service.url}/api/v1${request.path}`, {
      method: request.method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers,
      },
      body: text,
    });
    const { method, path } = request;
    const sent = request.body ?? parsed(request.text);
    const { status, headers } = answer;
    return {
      status,
      headers,
      body: contract.check({ method, path, sent, status, headers, text: await answer.text() }),
    };
  };
  const data = async <Data>(request: Ask): Promise<Data> => succeeded(request, await ask(request)).data as Data;
  return {
    ask,
    get: (path) => data({ method: "GET", path }),
    page: async <Item>(path: string) => {
      const request = { method: "GET", path };
      const { data: items, pagination } = succeeded(request, await ask(request));
      if (!pagination) throw new Error(`GET ${path} has no pagination.`);
      return { items: items as Item[], pagination };
    },
    post: (path, body, headers) => data({ method: "POST", path, body, headers }),
    delete: (path) => data({ method: "DELETE", path }),
    refusal: async (status, request) => {
      const answer = await ask(request);
      if (answer.status === status && answer.body.error) return answer.body.error;
      const got = JSON.stringify(answer.body.error ?? answer.body.data)?.slice(0, 1_000);
      throw new Error(`${request.method} ${request.path} answered ${answer.status} instead of ${status}: ${got}`);
    },
    withKey: (other) => checkedApi(service, contract, other),
  };
}
