/** What any answer of the API must be, whatever was sent. */
import { type DocumentedOperation, operationAt } from "./openapi";

export type FuzzAnswer = { status: number; type: string; isReplay: boolean; text: string };

type Answered = {
  success: boolean;
  data?: Record<string, unknown>;
  error?: { type: string; code: string; message: string; param: string | null; details: Record<string, unknown> };
  meta: { request_id: string; api_version: string };
};

type Sent = { method: string; path: string; isIntact: boolean; body: string | Buffer | null };

/** Type and code of each status, as the guide to errors lists them. */
const ERRORS: Record<number, [type: string, code: string]> = {
  400: ["invalid_request_error", "invalid_request"],
  401: ["authentication_error", "unauthorized"],
  402: ["balance_error", "insufficient_balance"],
  403: ["authorization_error", "forbidden"],
  404: ["invalid_request_error", "not_found"],
  409: ["invalid_request_error", "conflict"],
  429: ["rate_limit_error", "rate_limit_exceeded"],
};

/** What is answered before the path is looked at. */
const BEFORE_THE_PATH = [401, 403, 429];
/** Takes either `to` or `recipients`, which its schema cannot say. */
const EITHER_OR = "POST /messages/estimate";

const keysOf = (value: object | undefined): string =>
  Object.keys(value ?? {})
    .sort()
    .join();

/** Makes a judge of answers. It throws an Error that says what is wrong, else returns the body (null for HEAD). */
export function makeJudge(operations: readonly DocumentedOperation[]) {
  const requestIds = new Set<string>();

  return (sent: Sent, answer: FuzzAnswer): Answered | null => {
    const insist = (holds: boolean, fault: string) => {
      if (!holds) throw new Error(`${fault}: ${answer.status} ${answer.text.slice(0, 1_000)}`);
    };
    insist(answer.status >= 200 && answer.status < 500, "neither done nor refused");
    const operation = operationAt(operations, sent.method, sent.path.split("?")[0] ?? "");
    const expected = operation ? operation.statuses : [...BEFORE_THE_PATH, 404];
    insist(expected.includes(answer.status), `not documented for ${operation?.name ?? "an unknown path"}`);
    if (sent.method === "HEAD") {
      insist(answer.text === "", "a body for HEAD");
      return null;
    }
    insist(/^application\/json(;|$)/.test(answer.type), `content type ${answer.type}`);
    const body = JSON.parse(answer.text) as Answered;
    insist(keysOf(body.meta) === "api_version,request_id" && body.meta.api_version === "v1", "wrong meta");
    insist(/^req_[0-9a-z]{26}$/.test(body.meta.request_id), "wrong request id");
    insist(!requestIds.has(body.meta.request_id), "a request id for the second time");
    requestIds.add(body.meta.request_id);
    if (operation) {
      const fault = operation.faultOf(answer.status, body);
      insist(fault === null, `not as documented (${fault})`);
    }
    if (answer.status < 400) {
      insist(body.success === true && /^data,meta(,pagination)?,success$/.test(keysOf(body)), "wrong envelope");
      insist(!operation?.body || operation.allows(parse(sent.body)), "a body that the document forbids was taken");
    } else {
      insist(body.success === false && keysOf(body) === "error,meta,success", "wrong envelope");
      insist(keysOf(body.error) === "code,details,message,param,type", "wrong error");
      insist(ERRORS[answer.status]?.join() === `${body.error?.type},${body.error?.code}`, "wrong type or code");
      const { reason, issues } = body.error?.details ?? {};
      const isExplained = typeof reason === "string" || (Array.isArray(issues) && issues.length > 0);
      insist(answer.status !== 400 || isExplained, "neither a reason nor issues");
      const isRefusedByShape = sent.isIntact && answer.status === 400 && typeof reason !== "string";
      insist(!isRefusedByShape || operation?.name === EITHER_OR, "what the document allows was refused");
    }
    return body;
  };
}

const parse = (body: string | Buffer | null): unknown => JSON.parse(String(body));
