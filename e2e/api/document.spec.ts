/** The contract, written down a second time: the served document must contain all of it. */

import { parse } from "yaml";
import type { Contract } from "../support/contract";
import { expect, test } from "../support/contract-test";
import type { Schema } from "../support/fuzz/closed-schema";

/** Operation, success status, the refusals that callers were promised, and the fields of its response. */
const OPERATIONS: [operation: string, success: number, refusals: number[], resource: string][] = [
  ["POST /messages/send", 201, [400, 401, 402, 403, 429, 500, 503], "message"],
  ["POST /messages/bulk", 201, [400, 401, 402, 403, 429], "bulk_result"],
  ["GET /messages/{id}", 200, [401, 404], "message"],
  ["GET /messages", 200, [401], "message[]"],
  ["GET /account", 200, [401], "account"],
  ["GET /balance", 200, [401], "balance"],
  ["GET /usage", 200, [401], "usage"],
  ["GET /senders", 200, [401], "sender[]"],
  ["POST /senders/create", 201, [400, 401], "sender"],
  ["GET /senders/{id}", 200, [404], "sender"],
  ["GET /suppressions", 200, [400, 401, 403], "suppression[]"],
  ["POST /suppressions", 201, [400, 401, 403], "suppression"],
  ["POST /suppressions/import", 200, [400, 401, 403, 429], "suppression_import"],
  ["DELETE /suppressions/{id}", 200, [403, 404], "deleted"],
  ["GET /api-keys", 200, [401], "list of api_key"],
  ["POST /api-keys/create", 201, [400, 403], "created api_key"],
  ["DELETE /api-keys/{id}", 200, [404], "deleted"],
  ["GET /webhooks", 200, [], "list of webhook_endpoint"],
  ["POST /webhooks/create", 201, [], "created webhook_endpoint"],
  ["GET /webhooks/{id}", 200, [404], "webhook_endpoint"],
  ["DELETE /webhooks/{id}", 200, [], "deleted"],
  ["GET /events", 200, [], "event[]"],
];

const MESSAGE =
  "id object to from body encoding segments reference metadata status cost currency provider provider_message_id attempts error created_at sent_at " +
  "delivered_at failed_at scheduled_at validity_period";
const API_KEY =
  "id object livemode name key_hint is_active permissions rate_limit created_by last_used_at expires_at created_at";
const ENDPOINT =
  "id object livemode url description events is_active failure_count last_success_at last_failure_at disabled_at disabled_reason " +
  "paused_at paused_by created_at";

const FIELDS: Record<string, string> = {
  message: MESSAGE,
  bulk_result: "object total sent failed messages",
  account:
    "id object livemode email name company_name country status kyc_verified balance currency quiet_hours sending_limits text_retention_days created_at",
  balance: "object livemode balance currency as_of",
  usage: "object period starts_at ends_at currency totals by_status",
  sender:
    "id object livemode sender_id type country_code status status_reason approved_at created_at " +
    "dlt_entity_id dlt_template_id dlt_template_category",
  suppression: "id object number sender_id reason note created_at",
  suppression_import: "object added existing duplicates refused refusals",
  // The response to a change has the same schema, and it alone has the limits.
  api_key: `${API_KEY} daily_limit monthly_limit allowed_ips`,
  "created api_key": `${API_KEY} plain_key plain_key_notice`,
  webhook_endpoint: ENDPOINT,
  "created webhook_endpoint": `${ENDPOINT} signing_secret`,
  event: "id object livemode type created_at data",
  deleted: "id object deleted",
};

const MESSAGE_STATUSES = ["pending", "sent", "delivered", "failed", "undelivered"];
const EVENT_TYPES = ["message.sent", "message.delivered", "message.failed"];
/** An addition to the contract that only callers who name it will see. */
const NAMED_TYPE = "message.received";
const SENDER_STATUSES = ["pending", "approved", "rejected", "suspended"];
const SENDER_TYPES = ["alphanumeric", "numeric", "short_code", "long_code"];
const PAGE = { type: "integer", minimum: 1, default: 1 };
const LIMIT = { type: "integer", minimum: 1, maximum: 100, default: 50 };

const words = (text: string): string[] => text.split(" ").sort();

/** The value at a path into the document; references are followed. */
function at({ document }: Contract, from: unknown, ...path: string[]): Schema {
  const follow = (given: unknown): Schema => {
    // Of several alternatives, the first is the contract's.
    const [value = given] = ((given as Schema | undefined)?.anyOf as unknown[] | undefined) ?? [];
    const ref = (value as Schema | undefined)?.$ref;
    return typeof ref === "string"
      ? at({ document } as Contract, document, ...ref.split("/").slice(1))
      : (value as Schema);
  };
  return path.reduce<Schema>((value, key) => follow(value[key]), follow(from));
}

function operationIn(contract: Contract, operation: string): Schema {
  const [method = "", path = ""] = operation.split(" ");
  return at(contract, contract.document, "paths", path, method.toLowerCase());
}

const responseOf = (contract: Contract, operation: string, status: number): Schema =>
  at(contract, operationIn(contract, operation), "responses", `${status}`, "content", "application/json", "schema");

const bodyOf = (contract: Contract, operation: string): Schema =>
  at(contract, operationIn(contract, operation), "requestBody", "content", "application/json", "schema");

function queryOf(contract: Contract, operation: string): Record<string, unknown> {
  const parameters = operationIn(contract, operation).parameters as { in: string; name: string; schema: Schema }[];
  return Object.fromEntries(parameters.flatMap((one) => (one.in === "query" ? [[one.name, one.schema]] : [])));
}

const fieldsOf = (contract: Contract, schema: unknown): string[] =>
  Object.keys(at(contract, schema).properties as object).sort();

test("the document is served to everybody, with or without a key", async ({ service, contract }) => {
  for (const authorization of ["", "Bearer ds_live_nobody"]) {
    const answer = await fetch(`${service.url}/api/v1/openapi.json`, { headers: { authorization } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(await answer.json()).toEqual(contract.document);
  }
  expect(contract.document.openapi).toMatch(/^3\.1/);
  const yaml = await fetch(`${service.url}/api/v1/openapi.yaml`);
  expect([yaml.status, yaml.headers.get("content-type")]).toEqual([200, "application/yaml; charset=utf-8"]);
  expect(parse(await yaml.text())).toEqual(contract.document);
});

test("every operation of the contract is there, with its success status and every refusal", ({ contract }) => {
  for (const [operation, success, refusals] of OPERATIONS) {
    const statuses = Object.keys(operationIn(contract, operation).responses as object).map(Number);
    expect(
      statuses.filter((status) => status < 300),
      operation,
    ).toEqual([success]);
    expect(statuses, operation).toEqual(expect.arrayContaining(refusals));
  }
});

test("every response has the fields of the contract and no others", ({ contract }) => {
  for (const [operation, success, , resource] of OPERATIONS) {
    const envelope = responseOf(contract, operation, success);
    const isPage = resource.endsWith("[]");
    const expected = ["data", "meta", "success", ...(isPage ? ["pagination"] : [])];
    expect(fieldsOf(contract, envelope), operation).toEqual(expected.sort());
    const data = at(contract, envelope, "properties", "data");
    const [, listed] = /^list of (.*)$/.exec(resource) ?? [];
    if (listed) expect(fieldsOf(contract, data), operation).toEqual(["data", "object"]);
    const item = listed
      ? at(contract, data, "properties", "data", "items")
      : isPage
        ? at(contract, data, "items")
        : data;
    expect(fieldsOf(contract, item), operation).toEqual(words(FIELDS[listed ?? resource.replace("[]", "")] ?? ""));
  }
  const { schemas } = contract.document.components;
  expect(fieldsOf(contract, schemas.Meta)).toEqual(words("request_id api_version next_cursor warnings"));
  expect(schemas.Meta?.required).toEqual(["request_id", "api_version"]);
  expect(fieldsOf(contract, schemas.Pagination)).toEqual(words("page limit total pages has_more"));
  const error = at(contract, schemas.Error, "properties", "error");
  expect(fieldsOf(contract, error)).toEqual(words("type code message param details"));
});

test("nested objects have the fields of the contract too", ({ contract }) => {
  const data = (operation: string, success: number, ...path: string[]) =>
    at(contract, responseOf(contract, operation, success), "properties", "data", ...path);
  const bulkItem = data("POST /messages/bulk", 201, "properties", "messages", "items");
  expect(fieldsOf(contract, bulkItem)).toEqual(words(MESSAGE));
  const eventData = data("GET /events", 200, "items", "properties", "data");
  expect(fieldsOf(contract, eventData)).toEqual(words(MESSAGE));
  expect(fieldsOf(contract, data("GET /usage", 200, "properties", "totals"))).toEqual(words("messages cost"));
  expect(fieldsOf(contract, data("GET /usage", 200, "properties", "by_status"))).toEqual(MESSAGE_STATUSES.toSorted());
});

test("statuses and types are those of the contract", ({ contract }) => {
  const property = (schema: string, name: string): unknown =>
    at(contract, contract.document.components.schemas[schema], "properties", name).enum;
  expect(property("Message", "status")).toEqual(MESSAGE_STATUSES);
  expect(property("Sender", "status")).toEqual(SENDER_STATUSES);
  expect(property("Sender", "type")).toEqual(SENDER_TYPES);
  expect(property("Event", "type")).toEqual(EVENT_TYPES);
  expect(Object.keys(contract.document.webhooks).sort()).toEqual([...EVENT_TYPES, NAMED_TYPE].toSorted());
  const error = at(contract, contract.document.components.schemas.Error, "properties", "error", "properties", "type");
  expect(error.enum).toEqual([
    "invalid_request_error",
    "authentication_error",
    "authorization_error",
    "balance_error",
    "rate_limit_error",
    "provider_error",
    "api_error",
  ]);
});

test("every list takes the parameters of the contract, within its limits", ({ contract }) => {
  expect(queryOf(contract, "GET /messages")).toMatchObject({
    status: { enum: MESSAGE_STATUSES },
    to: { type: "string" },
    created_after: { format: "date-time" },
    created_before: { format: "date-time" },
    page: PAGE,
    limit: LIMIT,
  });
  expect(queryOf(contract, "GET /senders")).toMatchObject({
    status: { enum: SENDER_STATUSES },
    page: PAGE,
    limit: LIMIT,
  });
  expect(queryOf(contract, "GET /events")).toMatchObject({
    type: { enum: [...EVENT_TYPES, NAMED_TYPE] },
    page: PAGE,
    limit: LIMIT,
  });
  expect(queryOf(contract, "GET /usage")).toMatchObject({
    period: { enum: ["day", "month", "all"], default: "month" },
  });
});

test("every body takes the fields of the contract, within its limits", ({ contract }) => {
  const required = (operation: string) => (bodyOf(contract, operation).required as string[]).toSorted();
  const properties = (operation: string) => bodyOf(contract, operation).properties;
  expect(required("POST /messages/send")).toEqual(["body", "from", "to"]);
  expect(properties("POST /messages/send")).toMatchObject({
    to: { type: "string" },
    body: { type: "string", minLength: 1, maxLength: 1_600 },
    route_id: { type: ["integer", "null"] },
    provider: { type: ["string", "null"] },
    reference: { type: ["string", "null"] },
  });
  expect(required("POST /messages/bulk")).toEqual(["body", "from", "recipients"]);
  expect(properties("POST /messages/bulk")).toMatchObject({
    recipients: { type: "array", minItems: 1, maxItems: 1_000 },
    body: { maxLength: 1_600 },
  });
  expect(required("POST /senders/create")).toEqual(["sender_id"]);
  expect(properties("POST /senders/create")).toMatchObject({
    sender_id: { maxLength: 16 },
    type: { enum: SENDER_TYPES },
    country_code: { minLength: 2, maxLength: 2 },
  });
  expect(required("POST /api-keys/create")).toEqual(["name"]);
  expect(properties("POST /api-keys/create")).toMatchObject({
    permissions: { type: "array" },
    rate_limit: { type: "integer", minimum: 1, maximum: 6_000 },
    daily_limit: { type: ["integer", "null"], minimum: 1 },
    monthly_limit: { type: ["integer", "null"], minimum: 1 },
    allowed_ips: { type: ["array", "null"] },
    expires_at: { type: ["string", "null"], format: "date-time" },
  });
  expect(required("POST /webhooks/create")).toEqual(["url"]);
  expect(properties("POST /webhooks/create")).toMatchObject({
    url: { type: "string", format: "uri" },
    events: { type: "array", items: { enum: ["*", ...EVENT_TYPES, NAMED_TYPE] } },
  });
});
