/** One request of a customer's program, and its result. */

/** The requests per minute that the key allows, as a response says it: their limit, those left, and seconds until the next minute. */
export type Rate = { limit: number; remaining: number; resetS: number };

/** The response. `status` null: the connection broke, or the caller gave up. */
export type Exchange = {
  status: number | null;
  code: string | null;
  body: Record<string, unknown> | null;
  replayed: boolean;
  retryAfterS: number | null;
  rate: Rate | null;
  ms: number;
  /** The fault in the shape of an error response; null: none, or not an error. */
  fault: string | null;
};

type Request = {
  url: string;
  headers: Record<string, string>;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The exact bytes: a repeated request must be identical. */
  body?: string;
  idempotencyKey?: string | null;
  /** The caller gives up after this time; null: after {@link PATIENCE_MS}. */
  abortAfterMs?: number | null;
};

const PATIENCE_MS = 60_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fault in an error response, judged by the documentation of errors; null: none. */
export function faultOfError(body: unknown): string | null {
  if (!isObject(body)) return "no JSON object";
  if (body.success !== false) return "success is not false";
  const { error, meta } = body;
  if (!isObject(error)) return "no error";
  for (const name of ["type", "code", "message"])
    if (typeof error[name] !== "string") return `error.${name} is missing`;
  if (error.param !== null && typeof error.param !== "string") return "error.param is neither text nor null";
  if (!isObject(error.details)) return "error.details is no object";
  if (!isObject(meta) || typeof meta.request_id !== "string" || meta.api_version !== "v1") return "meta is wrong";
  return null;
}

/** The reason that an error response names in its details; null: none. */
export function reasonOf({ body }: Exchange): string | null {
  const details = isObject(body?.error) ? body.error.details : null;
  return isObject(details) && typeof details.reason === "string" ? details.reason : null;
}

function rateOf(headers: Headers): Rate | null {
  const numberOf = (name: string) => Number(headers.get(name) ?? Number.NaN);
  const [limit, remaining, resetS] = [
    numberOf("ratelimit-limit"),
    numberOf("ratelimit-remaining"),
    numberOf("ratelimit-reset"),
  ];
  return [limit, remaining, resetS].every(Number.isFinite) ? { limit, remaining, resetS } : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Sends a request with an API key. Never throws: a broken connection is a result too. */
export const exchange = ({ apiKey, ...request }: Omit<Request, "headers"> & { apiKey: string }): Promise<Exchange> =>
  exchangeAt({ ...request, headers: { authorization: `Bearer ${apiKey}` } });

/** {@link exchange} for a caller whose `headers` say who it is. Calls of the console have errors of another shape, which count as a fault. */
export async function exchangeAt(request: Request): Promise<Exchange> {
  const { url, headers, method, body, idempotencyKey, abortAfterMs } = request;
  const startedAt = performance.now();
  const none = { code: null, body: null, replayed: false, retryAfterS: null, rate: null, fault: null };
  try {
    const answer = await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
      },
      body,
      signal: AbortSignal.timeout(abortAfterMs ?? PATIENCE_MS),
    });
    const read = parse(await answer.text());
    const isError = answer.status >= 400;
    const error = isObject(read) && isObject(read.error) ? read.error : {};
    const retryAfter = Number(answer.headers.get("retry-after") ?? Number.NaN);
    return {
      status: answer.status,
      code: typeof error.code === "string" ? error.code : null,
      body: isObject(read) ? read : null,
      replayed: answer.headers.has("idempotency-replayed"),
      retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null,
      rate: rateOf(answer.headers),
      ms: performance.now() - startedAt,
      fault: isError ? faultOfError(read) : null,
    };
  } catch {
    return { ...none, status: null, ms: performance.now() - startedAt };
  }
}
