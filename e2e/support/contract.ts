/**
 * The API's contract, read from the document of the running service, and checked by a validator that
 * shares no code with it. The common parts of every response are written down here a second time, so that the document and
 * the service cannot drift away together.
 */
import { appendFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { closeAll, closeSchema, type Schema } from "./fuzz/closed-schema";
import { noteConfidential } from "./logs";
import type { Service } from "./service";

type Content = { content?: Record<string, { schema: Schema }> };
type Parameter = { in: string; name: string; schema: Schema; required?: boolean };
type OperationObject = {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Content;
  responses: Record<string, Content | { $ref: string }>;
};

/** The served document, as far as the tests use it. */
type ApiDocument = {
  openapi: string;
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, { post: { requestBody: Content } }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Content>; parameters: object };
};

export type WireError = {
  type: string;
  code: string;
  message: string;
  param: string | null;
  details: Record<string, unknown>;
};
export type Pagination = { page: number; limit: number; total: number; pages: number; has_more: boolean };

/** The body of a response: `data` of a success, `error` of a refusal. */
export type Envelope = {
  success: boolean;
  data?: unknown;
  error?: WireError;
  pagination?: Pagination;
  meta: {
    request_id: string;
    api_version: string;
    next_cursor?: string | null;
    warnings?: { code: string; param: string; message: string }[];
  };
};

/** A request and its response. `sent` is its JSON body. */
export type Exchange = {
  method: string;
  path: string;
  sent: unknown;
  status: number;
  headers: Headers;
  text: string;
};

export type Contract = {
  document: ApiDocument;
  /** The body of the response. @throws Error naming the difference from the contract. */
  check: (exchange: Exchange) => Envelope;
  /** Checks the body of a webhook request. @throws Error */
  checkEvent: (event: unknown) => void;
};

/** The error of each status, as the guide to errors documents it. */
const ERRORS: Record<number, [type: string, code: string]> = {
  400: ["invalid_request_error", "invalid_request"],
  401: ["authentication_error", "unauthorized"],
  402: ["balance_error", "insufficient_balance"],
  403: ["authorization_error", "forbidden"],
  404: ["invalid_request_error", "not_found"],
  429: ["rate_limit_error", "rate_limit_exceeded"],
  500: ["api_error", "internal_error"],
  503: ["api_error", "service_unavailable"],
};
/** The longest Retry-After of a 429 (the rest of the minute, UTC day or UTC month) or a 503. */
const RETRY_AFTER_MAX_S: Record<string, number> = {
  rate_limit: 60,
  account_rate_limit: 60,
  test_limit: 60,
  too_many_at_once: 5,
  daily_limit: 86_400,
  daily_spend_cap: 86_400,
  failed_limit: 86_400,
  test_mode_limit: 86_400,
  monthly_limit: 31 * 86_400,
  overloaded: 5,
  database_unavailable: 5,
  outcome_unknown: 5,
  recovery_interrupted: 5,
};
/** Possible statuses where there is no operation. */
const WITHOUT_OPERATION = [401, 403, 404, 429, 503];
const RATE_HEADERS = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
/** The format of the rate limit fields of the current IETF draft, which repeat the same values. */
const POLICY = /^"key";q=(\d+);w=60(, "account";q=\d+;w=60)?$/;
const RATE = /^"(key|account)";r=(\d+);t=(\d+)$/;
const KEYWORDS = ["components", "example", "discriminator"];

/** File of the responses seen, one `METHOD path status` per line, and of the test files that have run. */
export const responsesFile = (service: Service): string => path.join(service.dataDir, "responses.txt");
export const ranMark = (file: string): string => `ran ${path.basename(file)}`;

const seenRequestIds = new Set<string>();

function insist(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(problem);
}

const keysOf = (value: object): string => Object.keys(value).sort().join(",");

/** Parts shared by operations. */
function checkEnvelope({ status, headers }: Exchange, body: Envelope): void {
  const expected = body.success ? ["data", "meta", "success"] : ["error", "meta", "success"];
  if (body.pagination) expected.push("pagination");
  insist(keysOf(body) === expected.sort().join(","), `the envelope has ${keysOf(body)}`);
  insist(body.success === status < 300, `success is ${body.success}`);
  insist(headers.get("content-type") === "application/json; charset=utf-8", `it is ${headers.get("content-type")}`);
  insist(headers.get("cache-control") === "no-store", `it may be cached: ${headers.get("cache-control")}`);
  const { request_id: id, warnings, next_cursor: next, ...rest } = body.meta;
  insist(
    (next === undefined) === (body.pagination === undefined),
    "a page, and nothing else, has a cursor of the next one",
  );
  insist(keysOf(rest) === "api_version" && rest.api_version === "v1", "meta is another");
  insist(warnings === undefined || warnings.length > 0, "it warns of nothing");
  insist(headers.get("request-id") === id, `its Request-Id is ${headers.get("request-id")}`);
  insist(/^req_[0-9a-z]{26}$/.test(id) && !seenRequestIds.has(id), `the request id ${id} is malformed or not unique`);
  seenRequestIds.add(id);
}

function checkError({ status, headers }: Exchange, { error }: Envelope): void {
  insist(error !== undefined && keysOf(error) === "code,details,message,param,type", "error has other fields");
  const [type, code] = ERRORS[status] ?? [];
  insist(error.type === type && error.code === code, `it is a ${error.type} with the code ${error.code}`);
  insist(error.message.length > 0 && !/\p{Cc}|\[\s*\{|\bat \//u.test(error.message), `its message is ${error.message}`);
  const challenge = headers.get("www-authenticate");
  insist((status === 401) === /^Bearer realm="[^"]+"/.test(challenge ?? ""), `its challenge is ${challenge}`);
  const retryAfter = headers.get("retry-after");
  const mayRepeat = status === 429 || status === 503;
  const expected = mayRepeat ? String(error.details.retry_after) : null;
  insist(retryAfter === expected, `its Retry-After is ${retryAfter}`);
  const waitMaxS = RETRY_AFTER_MAX_S[String(error.details.reason)] ?? 0;
  const waitS = Number(retryAfter);
  const isWait = Number.isInteger(waitS) && waitS >= 1 && waitS <= waitMaxS;
  insist(!mayRepeat || isWait, `its Retry-After is ${retryAfter}`);
}

/** Rate headers come with every response to an authenticated caller, and with no other. */
function checkRate({ status, headers }: Exchange, { error }: Envelope): void {
  const [limit, remaining, resetS] = RATE_HEADERS.map((name) => Number(headers.get(name) ?? Number.NaN));
  if (status === 401 || error?.details.reason === "ip_not_allowed") {
    insist(!RATE_HEADERS.some((name) => headers.has(name)), "it tells of a rate that was not counted");
    return;
  }
  if (status === 503 && !RATE_HEADERS.some((name) => headers.has(name))) return;
  const values = `limit ${limit}, remaining ${remaining}, reset ${resetS}`;
  insist(Number(limit) >= 1 && Number(limit) <= 6_000, `its rate headers say ${values}`);
  insist(Number(remaining) >= 0 && Number(remaining) < Number(limit), `its rate headers say ${values}`);
  insist(Number(resetS) >= 1 && Number(resetS) <= 60, `its rate headers say ${values}`);
  const [, ofPolicy] = POLICY.exec(headers.get("ratelimit-policy") ?? "") ?? [];
  const [, , left, again] = RATE.exec(headers.get("ratelimit") ?? "") ?? [];
  const isSame = ofPolicy === `${limit}` && left === `${remaining}` && again === `${resetS}`;
  insist(isSame, `its rate fields say ${headers.get("ratelimit-policy")} and ${headers.get("ratelimit")}`);
}

type Operation = { name: string; method: string; pattern: RegExp; operation: OperationObject };

/** The document's operations, those with the fewest parameters in their path first. */
function operationsOf(document: ApiDocument): Operation[] {
  const templates = Object.keys(document.paths).sort((one, other) => one.split("{").length - other.split("{").length);
  return templates.flatMap((template) =>
    Object.entries(document.paths[template] ?? {}).map(([given, operation]) => {
      const method = given.toUpperCase();
      const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`);
      return { name: `${method} ${template}`, method, pattern, operation };
    }),
  );
}

/** A path in which characters that need no encoding are not encoded (RFC 3986, 6.2.2.2). */
export const withoutNeedlessEncoding = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (encoded, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });

function findOperation(operations: readonly Operation[], method: string, requestPath: string): Operation | undefined {
  // A trailing slash makes no difference.
  const given = withoutNeedlessEncoding(requestPath.split("?")[0] ?? "").replace(/(?<=[^/])\/$/, "");
  return operations.find((operation) => operation.method === method && operation.pattern.test(given));
}

/** A schema of the document with its references pointing into the schema `root`, where each is compiled once. */
const within = (root: string, schema: unknown): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${root}#/`)) as Schema;

function makeValidators({ components }: ApiDocument) {
  const ajv = new Ajv2020({
    ...{ strict: true, allErrors: true, allowUnionTypes: true, strictRequired: false, inlineRefs: false },
    // Kept cheap: every test process compiles the schemas for only a few values each, and other tests check the document.
    ...{ validateSchema: false, code: { optimize: false } },
  });
  addFormats.default(ajv);
  ajv.addVocabulary(KEYWORDS);
  ajv.addSchema({ $id: "answer", components: { schemas: closeAll(components.schemas) } });
  ajv.addSchema({ $id: "request", components: { schemas: components.schemas } });
  const made = new Map<string, ValidateFunction>();
  const assertValid = (root: string, name: string, schemaOf: () => unknown, value: unknown) => {
    const validate = made.get(`${root} ${name}`) ?? ajv.compile(within(root, schemaOf()));
    made.set(`${root} ${name}`, validate);
    if (!validate(value)) throw new Error(ajv.errorsText(validate.errors, { dataVar: "", separator: "\n  " }));
  };
  return {
    answer: (name: string, schema: Schema, value: unknown) =>
      assertValid("answer", name, () => closeSchema(schema), value),
    request: (name: string, schema: Schema, value: unknown) => assertValid("request", name, () => schema, value),
  };
}

const contracts = new Map<string, Promise<Contract>>();

/** The contract of the running service, read once per test process. */
export function contractOf(service: Service): Promise<Contract> {
  const known = contracts.get(service.url);
  if (known) return known;
  const read = readContract(service);
  contracts.set(service.url, read);
  read.catch(() => contracts.delete(service.url));
  return read;
}

/** Reads the contract from the running service. */
export async function readContract(service: Service): Promise<Contract> {
  const served = await fetch(`${service.url}/api/v1/openapi.json`);
  const document = (await served.json()) as ApiDocument;
  const validators = makeValidators(document);
  const operations = operationsOf(document);
  const noted = new Set<string>();

  const responseOf = (operation: OperationObject, status: number): Content | undefined => {
    const response = operation.responses[status];
    return response && "$ref" in response
      ? document.components.responses[response.$ref.split("/").at(-1) ?? ""]
      : response;
  };

  const checkOperation = (exchange: Exchange, body: Envelope) => {
    const { name, operation } = findOperation(operations, exchange.method, exchange.path) ?? {};
    const { status } = exchange;
    if (!name || !operation) {
      insist(WITHOUT_OPERATION.includes(status), "nothing is documented here");
      validators.answer("error", { $ref: "#/components/schemas/Error" }, body);
      return;
    }
    const schema = responseOf(operation, status)?.content?.["application/json"]?.schema;
    insist(schema !== undefined, `${name} does not document the status ${status}`);
    validators.answer(`${name} ${status}`, schema, body);
    const accepts = operation.requestBody?.content?.["application/json"]?.schema;
    if (status < 300 && accepts) validators.request(name, accepts, exchange.sent);
    const note = `${name} ${status}`;
    if (!noted.has(note)) appendFileSync(responsesFile(service), `${note}\n`);
    noted.add(note);
  };

  return {
    document,
    check: (exchange) => {
      try {
        const body = JSON.parse(exchange.text) as Envelope;
        noteConfidential(service, exchange.sent, body.data);
        checkEnvelope(exchange, body);
        if (!body.success) checkError(exchange, body);
        checkRate(exchange, body);
        checkOperation(exchange, body);
        return body;
      } catch (thrown) {
        const { method, path: requestPath, status, text } = exchange;
        const problem = thrown instanceof Error ? thrown.message : String(thrown);
        throw new Error(`${method} ${requestPath} answered ${status}:\n  ${problem}\n${text.slice(0, 2_000)}`);
      }
    },
    checkEvent: (event) => {
      const { type } = event as { type: string };
      const schema = document.webhooks[type]?.post.requestBody.content?.["application/json"]?.schema;
      insist(schema !== undefined, `webhook requests of ${type} are not documented`);
      validators.answer(`webhook ${type}`, schema, event);
    },
  };
}
