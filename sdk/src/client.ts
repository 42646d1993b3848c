/** A typed client of the Messaging Service API, over the types that its OpenAPI document gives. */
import createFetchClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from "openapi-fetch";
import { apiErrorOf } from "./errors.js";
import { KEYED_PATHS } from "./keyed-paths.js";
import { fetchWithRetries } from "./retries.js";
import type { components, paths } from "./schema.js";

export { ApiError } from "./errors.js";
export { verifyWebhook, WebhookError } from "./webhooks.js";
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
  /**
   * What becomes of fields and parameters that the service does not know: `strict`, the default, refuses them with 400
   * `unknown_parameter`; `lenient` ignores them and names them in `meta.warnings`.
   */
  handling?: "strict" | "lenient";
};

type Method = "get" | "post" | "patch" | "delete";
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
export type ServiceClient = { GET: Call<"get">; POST: Call<"post">; PATCH: Call<"patch">; DELETE: Call<"delete"> };

/** Whether a text is a success of the service; a proxy or a sign-in page on the way says 200 as well. */
function isEnvelope(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "success" in body && body.success === true;
  } catch {
    return false;
  }
}

/**
 * Makes a client. Creating requests get an Idempotency-Key of their own unless you give one (in
 * `params.header["Idempotency-Key"]`), so that repeating them, which the client does by itself, creates once.
 */
export function createClient(options: ClientOptions): ServiceClient {
  const { baseUrl, apiKey, retries = 3, backoffMs = 250, timeoutMs = 30_000, handling = "strict" } = options;
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  // Requests that the service carries out once. A key that a caller gives to any other operation means nothing there.
  const keyed = new WeakSet<Request>();
  const client = createFetchClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}`, prefer: `handling=${handling}` },
    fetch: async (request) => {
      const isRepeatable = request.method !== "POST" || keyed.has(request);
      const response = await fetchWithRetries(request, { fetch, retries, backoffMs, timeoutMs, isRepeatable });
      if (response.ok && !isEnvelope(await response.clone().text())) throw apiErrorOf(response, undefined);
      return response;
    },
  });
  client.use({
    onRequest: ({ request, schemaPath }) => {
      if (request.method !== "POST" || !KEYED_PATHS.has(schemaPath)) return;
      if (!request.headers.has("idempotency-key")) request.headers.set("idempotency-key", crypto.randomUUID());
      keyed.add(request);
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
  return {
    GET: call("get"),
    POST: call("post"),
    PATCH: call("patch"),
    DELETE: call("delete"),
  } as unknown as ServiceClient;
}
