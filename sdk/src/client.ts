/** A typed client of the Messaging Service API, over the types that its OpenAPI document gives. */
import createFetchClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from "openapi-fetch";
import { apiErrorOf } from "./errors";
import { KEYED_PATHS } from "./keyed-paths";
import { fetchWithRetries } from "./retries";
import type { components, paths } from "./schema";

export { ApiError } from "./errors";
export { verifyWebhook, WebhookError } from "./webhooks";
export type { components, paths };

export type ClientOptions = {
  /** Where the API is, with its version: `https://sms.example.com/api/v1`. */
  baseUrl: string;
  /** The API key, `ds_live_…`. */
  apiKey: string;
  /** Another fetch, for instance one that goes through a proxy. */
  fetch?: (request: Request) => Promise<Response>;
  /** Further tries after the first one; 3 when not given. */
  retries?: number;
  /** Wait before the first further try, doubled each time and partly left to chance; 250 when not given. */
  backoffMs?: number;
  /** Limit of each try; 30,000 when not given. */
  timeoutMs?: number;
};

type Method = "get" | "post" | "delete";
type PathOf<M extends Method> = ClientPathsWithMethod<Client<paths>, M>;
type InitOf<Path extends keyof paths, M extends Method> = MaybeOptionalInit<paths[Path], M>;
type AnswerOf<Path extends keyof paths, M extends Method> = MethodResponse<Client<paths>, M, Path & PathOf<M>>;

type Call<M extends Method> = <Path extends PathOf<M>>(
  path: Path,
  ...init: undefined extends InitOf<Path, M> ? [init?: InitOf<Path, M>] : [init: InitOf<Path, M>]
) => Promise<AnswerOf<Path, M> & { response: Response }>;

/**
 * Each method takes a path of the document and resolves to the answer's envelope (`data`, `meta`, of paged lists also
 * `pagination`) with the `response` beside it. It throws an {@link ApiError} for every answer that is not a success.
 */
export type ServiceClient = { GET: Call<"get">; POST: Call<"post">; DELETE: Call<"delete"> };

/**
 * Makes a client. Creating requests get an Idempotency-Key of their own unless you give one (in
 * `params.header["Idempotency-Key"]`), so that repeating them, which the client does by itself, creates once.
 */
export function createClient(options: ClientOptions): ServiceClient {
  const { baseUrl, apiKey, retries = 3, backoffMs = 250, timeoutMs = 30_000 } = options;
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  const client = createFetchClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    fetch: (request) => fetchWithRetries(request, { fetch, retries, backoffMs, timeoutMs }),
  });
  client.use({
    onRequest: ({ request, schemaPath }) => {
      if (request.method !== "POST" || !KEYED_PATHS.has(schemaPath) || request.headers.has("idempotency-key")) return;
      request.headers.set("idempotency-key", crypto.randomUUID());
    },
  });
  const send = client.request as unknown as (
    method: Method,
    path: string,
    init?: object,
  ) => Promise<{ data?: object; error?: unknown; response: Response }>;
  const call = (method: Method) => async (path: string, init?: object) => {
    const { data, error, response } = await send(method, path, init);
    if (data === undefined) throw apiErrorOf(response, error);
    return { ...data, response };
  };
  // Each is typed by the path that it is called with, which one function for all of them cannot say.
  return { GET: call("get"), POST: call("post"), DELETE: call("delete") } as unknown as ServiceClient;
}
