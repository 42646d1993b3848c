/** The errors of the API document: their shape, and the meaning of each status with examples. */
import { keyReused } from "../../accounts/idempotency/stored-responses";
import {
  type ApiError,
  databaseUnavailable,
  type ErrorType,
  forbidden,
  insufficientBalance,
  invalidRequest,
  migrationsPending,
  notFound,
  outcomeUnknown,
  overloaded,
  rateLimited,
  rateLimitedFor,
  toApiError,
  unauthorized,
} from "../../core/errors";
import { API_VERSION } from "../../core/wire";
import { refusalOf, warningsOf } from "../input/unknown-input";

const TYPES: Record<ErrorType, true> = {
  invalid_request_error: true,
  authentication_error: true,
  authorization_error: true,
  balance_error: true,
  rate_limit_error: true,
  provider_error: true,
  api_error: true,
};

const object = (properties: Record<string, object>, description?: string, optional: readonly string[] = []) => ({
  type: "object",
  ...(description ? { description } : {}),
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const META_REF = { $ref: "#/components/schemas/Meta" };
export const EXAMPLE_META = { request_id: "req_01k9x7t4m2e8v5q3r6w1y0z8ab", api_version: API_VERSION };

/** Schemas of the envelope, which the REST edge makes, not the procedures. */
export const ENVELOPE_SCHEMAS = {
  Meta: object(
    {
      request_id: { type: "string", description: "Id of the request, prefix req_; quote it in support requests." },
      api_version: { type: "string", const: API_VERSION, description: "Version of the API." },
      next_cursor: {
        type: ["string", "null"],
        description: "Of a page of a list: `cursor` of the next page; null: this is the last. Absent otherwise.",
      },
      warnings: {
        type: "array",
        description:
          "Fields and query parameters of the request that were ignored: the operation does not know them, or a field was given " +
          "more than once; at most 20. Absent when there are none. With `Prefer: handling=strict` they are a 400 instead.",
        items: object({
          code: {
            type: "string",
            enum: ["unknown_parameter", "repeated_parameter"],
            description: "Kind of the warning. Of a repeated field the last value was taken.",
          },
          param: { type: "string", description: "The name as it was sent." },
          message: { type: "string", description: "The reason in words, after the name." },
        }),
      },
    },
    "Metadata of every response.",
    ["next_cursor", "warnings"],
  ),
  Error: object(
    {
      success: { type: "boolean", const: false, description: "Always false." },
      error: object(
        {
          type: { type: "string", enum: Object.keys(TYPES), description: "Kind of the error." },
          code: { type: "string", description: "Machine-readable code, one per status." },
          message: { type: "string", description: "Human-readable reason; its wording may change." },
          param: {
            type: ["string", "null"],
            description: "The invalid parameter, such as `recipients[3]`; null: none in particular.",
          },
          details: {
            type: "object",
            description: "Details. `reason` is a more specific machine-readable code, `issues` lists invalid inputs.",
            properties: {
              reason: { type: "string", description: "The specific code; the guide to errors lists all of them." },
              carried_out: {
                type: "boolean",
                const: false,
                description:
                  "With 503: false where it is certain that nothing was carried out, absent where it is not.",
              },
              issues: {
                type: "array",
                description: "Problems of the input, at most 20.",
                items: object({
                  param: { type: ["string", "null"], description: "The invalid parameter." },
                  message: { type: "string", description: "The problem." },
                }),
              },
            },
            additionalProperties: true,
          },
        },
        "The error.",
      ),
      meta: META_REF,
    },
    "The body of every error response.",
  ),
};

/** Headers of every response to a request that was counted against a key: all but 401 and a refused address. */
const RATE_HEADERS = {
  "RateLimit-Limit": { $ref: "#/components/headers/RateLimit-Limit" },
  "RateLimit-Remaining": { $ref: "#/components/headers/RateLimit-Remaining" },
  "RateLimit-Reset": { $ref: "#/components/headers/RateLimit-Reset" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimit-Policy" },
  RateLimit: { $ref: "#/components/headers/RateLimit" },
};

/** Headers of every response. */
const COMMON_HEADERS = {
  "Request-Id": { $ref: "#/components/headers/Request-Id" },
  "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
};

const count = (description: string, example: number) => ({
  description,
  schema: { type: "integer", minimum: 0 },
  example,
});

export const HEADERS = {
  "RateLimit-Limit": count("Maximum requests of the key per minute.", 600),
  "RateLimit-Remaining": count("Requests left in this minute.", 599),
  "RateLimit-Reset": count("Seconds until the next minute begins.", 42),
  "RateLimit-Policy": {
    description:
      "The limits that apply, as in draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds, of the key and, where it " +
      "was counted, of the account.",
    schema: { type: "string" },
    example: '"key";q=600;w=60, "account";q=3000;w=60',
  },
  RateLimit: {
    description:
      'Requests that the key has left (`r`) for the next `t` seconds; once the account has none, `"account";r=0`.',
    schema: { type: "string" },
    example: '"key";r=599;t=42',
  },
  "Request-Id": {
    description: "Id of the request, as `meta.request_id`.",
    schema: { type: "string" },
    example: EXAMPLE_META.request_id,
  },
  "X-Request-Id": {
    description:
      "Your own id of the request, repeated from its header `X-Request-Id`: 1 to 128 letters, digits and `_.:/+=@-`. Absent " +
      "without one.",
    schema: { type: "string" },
    example: "checkout-4711",
  },
  "WWW-Authenticate": {
    description: "The scheme to authenticate with (RFC 6750), and what is wrong with the key that was sent.",
    schema: { type: "string" },
    example: 'Bearer realm="Messaging Service"',
  },
  "Retry-After": count(
    "Seconds to wait before repeating the request. With 429: until the next minute, or until the next UTC day or month " +
      "if that limit was reached.",
    42,
  ),
  "Preference-Applied": {
    description: "The preference that was honored, `handling=strict` or `handling=lenient`; absent without one.",
    schema: { type: "string", enum: ["handling=strict", "handling=lenient"] },
    example: "handling=strict",
  },
  "Idempotency-Replayed": {
    description: "`true` when this repeats the first response to the Idempotency-Key; absent otherwise.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
};

type Refusal = { name: string; description: string; headers: object; examples: Record<string, [string, ApiError]> };

/** Every error status of the API. */
export const REFUSALS: Record<string, Refusal> = {
  400: {
    name: "InvalidRequest",
    description: "The input is invalid; `error.param` names the parameter.",
    headers: { ...RATE_HEADERS, "Preference-Applied": { $ref: "#/components/headers/Preference-Applied" } },
    examples: {
      refused_input: [
        "An invalid field",
        invalidRequest("limit: must be at most 100", {
          param: "limit",
          details: { issues: [{ param: "limit", message: "must be at most 100" }] },
        }),
      ],
      unknown_parameter: [
        "An unknown field, with `Prefer: handling=strict`",
        refusalOf(warningsOf(["routeId"], "a field of this request", new Set(["route_id"]))),
      ],
      malformed_json: [
        "A body that is not JSON",
        invalidRequest("The body is not valid JSON.", { reason: "malformed_json" }),
      ],
      sender_not_approved: [
        "A sender that may not be used",
        invalidRequest("`from` is not an approved sender of this account: GET /senders?status=approved lists them.", {
          param: "from",
          reason: "sender_not_approved",
        }),
      ],
      idempotency_key_reused: ["One Idempotency-Key for two requests", keyReused()],
    },
  },
  401: {
    name: "Unauthorized",
    description: "The API key is missing, unknown, revoked or expired.",
    headers: { "WWW-Authenticate": { $ref: "#/components/headers/WWW-Authenticate" } },
    examples: {
      key_invalid: ["An unknown or revoked key", unauthorized("This API key is not valid.", { reason: "key_invalid" })],
    },
  },
  402: {
    name: "InsufficientBalance",
    description: "The balance does not cover the request. Nothing was sent or charged.",
    headers: RATE_HEADERS,
    examples: {
      balance: [
        "Insufficient balance",
        insufficientBalance("The balance does not cover this request. Nothing was sent.", {
          details: { required: 0.12, balance: 0.05, currency: "USD" },
        }),
      ],
    },
  },
  403: {
    name: "Forbidden",
    description: "The key lacks the permission or may not be used from this address, or the account is suspended.",
    headers: {},
    examples: {
      missing_scope: [
        "A key without the permission",
        forbidden("This API key lacks the permission sms:send.", {
          reason: "missing_scope",
          details: { required: "sms:send" },
        }),
      ],
      ip_not_allowed: [
        "An address that the key does not allow",
        forbidden("This API key may not be used from your address.", {
          reason: "ip_not_allowed",
          details: { address: "203.0.113.7" },
        }),
      ],
    },
  },
  404: {
    name: "NotFound",
    description: "There is nothing with this id in your account.",
    headers: RATE_HEADERS,
    examples: { not_found: ["An unknown id", notFound("There is no message with this id.", { param: "id" })] },
  },
  429: {
    name: "RateLimited",
    description:
      "More requests per minute, or more messages per day or month, than the key allows, or more requests, test events or " +
      "spending than the account allows. Nothing was done.",
    headers: { ...RATE_HEADERS, "Retry-After": { $ref: "#/components/headers/Retry-After" } },
    examples: {
      rate_limit: [
        "Too many requests in this minute",
        rateLimitedFor(42, "This API key may make 600 requests per minute.", {
          reason: "rate_limit",
          details: { limit: 600 },
        }),
      ],
      daily_spend_cap: [
        "More spending than the account allows in a day",
        rateLimited(
          "Nothing was sent: this request would exceed the account's daily spending cap that its owners have set. An owner can change it in the console: Settings, Sending.",
          {
            reason: "daily_spend_cap",
            details: { limit: 50, spent: 49.995, requested: 0.01 },
            retryAfterS: 25_200,
          },
        ),
      ],
    },
  },
  500: {
    name: "InternalError",
    description:
      "An internal error. The request may or may not have been carried out: repeat it with the same Idempotency-Key.",
    headers: {},
    examples: { internal_error: ["An unexpected failure", toApiError(null)] },
  },
  503: {
    name: "ServiceUnavailable",
    description:
      "The database is restarting, or the service is overloaded or being upgraded. `error.details.carried_out` is false where it is certain that " +
      "nothing was carried out. Repeat the request after `Retry-After` seconds, with the same Idempotency-Key.",
    headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } },
    examples: {
      database_unavailable: [
        "The database is unavailable for longer than a request waits",
        databaseUnavailable({ nothingDone: true }),
      ],
      outcome_unknown: ["The connection to the database was lost during a commit", outcomeUnknown()],
      overloaded: ["More requests than can be served in time", overloaded()],
      migrations_pending: ["The service is being installed or upgraded", migrationsPending()],
    },
  },
};

/** `components.responses`: one per status of {@link REFUSALS}. */
export const refusalResponses = () =>
  Object.fromEntries(
    Object.values(REFUSALS).map(({ name, description, headers, examples }) => [
      name,
      {
        description,
        headers: { ...COMMON_HEADERS, ...headers },
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Error" },
            examples: Object.fromEntries(
              Object.entries(examples).map(([key, [summary, { wire }]]) => [
                key,
                { summary, value: { success: false, error: wire, meta: EXAMPLE_META } },
              ]),
            ),
          },
        },
      },
    ]),
  );
