/** One measurement and one wide event per request. */
import { isWideLogged, logWide } from "../core/log";
import { metrics } from "../core/metrics";
import { defineProcessValue } from "../core/process";
import { inSpan, type Span } from "../core/spans";

/** Facts about a request, collected while it is handled. `operation` is the procedure's name, one of few. */
export type RequestFacts = { operation: string; requestId: string; accountId: string; keyId: string };

/** A request and its response, as doors have them. `facts`: null for a request that has no operation. */
type Asked = { method: string; header?: (name: string) => string | undefined };
type Responded = { status: number; headers: Record<string, string>; body: string };
type Outcome = { response: Responded; facts: RequestFacts | null };

const durations = defineProcessValue(
  "observability.durations",
  () => new Map<string, { observe: (seconds: number) => void }>(),
);

/** Labels are resolved once for each of the few pairs. */
function observe(operation: string, status: number, seconds: number): void {
  const statusClass = `${Math.floor(status / 100)}xx`;
  const key = `${operation} ${statusClass}`;
  let child = durations().get(key);
  if (!child) {
    child = metrics().httpRequests.labels(operation, statusClass);
    durations().set(key, child);
  }
  child.observe(seconds);
}

/**
 * Serves a request within a span, measures and logs it, and returns its outcome.
 * @param otherwise the operation of a request without facts: it was refused early, or has none.
 */
export const observeRequest = <Served extends Outcome>(
  asked: Asked,
  respond: () => Promise<Served>,
  otherwise = "none",
): Promise<Served> =>
  inSpan(
    () => ({ name: otherwise, kind: "server", traceparent: asked.header?.("traceparent") }),
    (span) => measure(asked, respond, otherwise, span),
  );

async function measure<Served extends Outcome>(
  asked: Asked,
  respond: () => Promise<Served>,
  otherwise: string,
  span: Span | null,
): Promise<Served> {
  const startedAt = performance.now();
  const outcome = await respond();
  const ms = performance.now() - startedAt;
  const { response, facts } = outcome;
  const operation = facts?.operation ?? otherwise;
  observe(operation, response.status, ms / 1_000);
  if (span) nameFacts(span, asked.method, operation, outcome);
  if (isWideLogged()) {
    logWide("http.request", {
      request_id: facts?.requestId ?? response.headers["request-id"],
      client_request_id: response.headers["x-request-id"],
      operation,
      method: asked.method,
      status: response.status,
      account_id: facts?.accountId,
      key_id: facts?.keyId,
      bytes: response.body.length,
      ms: Math.round(ms * 10) / 10,
      ...namesIn(response),
    });
  }
  return outcome;
}

/** The path is omitted, because a receipt's path contains a secret. */
function nameFacts(span: Span, method: string, operation: string, { response, facts }: Outcome): void {
  const { resource_id, reason } = namesIn(response);
  span.rename(operation);
  span.set({
    "http.request.method": method,
    "http.response.status_code": response.status,
    "messaging_service.request_id": facts?.requestId,
    "messaging_service.account_id": facts?.accountId,
    "messaging_service.key_id": facts?.keyId,
    "messaging_service.resource_id": resource_id,
    "messaging_service.reason": reason,
  });
  if (response.status >= 500) span.fail(reason ?? String(response.status));
}

const RESOURCE_ID = /^\{"success":true,"data":\{"id":"([a-z]+_[0-9A-Za-z-]{1,40})"/;
/** The id of the resource that a response describes; null: it describes none. */
export const resourceIdIn = (body: string): string | null => RESOURCE_ID.exec(body)?.[1] ?? null;

/** The id that a created resource has, and the error's reason: never a text, a number or a key. */
function namesIn({ body, headers }: Responded): { resource_id?: string; reason?: string; replayed?: true } {
  const [, reason] = body.startsWith('{"success":false') ? (/"reason":"([a-z_]{1,60})"/.exec(body) ?? []) : [];
  return {
    resource_id: resourceIdIn(body) ?? undefined,
    reason,
    ...(headers["idempotency-replayed"] && { replayed: true as const }),
  };
}
