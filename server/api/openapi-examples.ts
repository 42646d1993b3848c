/**
 * Examples of the API document, by procedure. The compiler holds them against the schemas, a test against the document.
 */
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import {
  API_KEY,
  DELIVERED,
  DELIVERY,
  ENDPOINT,
  EVENTS,
  PAGINATION,
  PENDING,
  REFUSED,
  SENDER,
  TIMELINE,
} from "./openapi-samples";
import type { AppRouter } from "./router";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

type Named<Value> = Record<string, { summary: string; value: Value }>;
export type OperationExamples<Input = unknown, Answer = unknown> = { requests?: Named<Input>; answers: Named<Answer> };

const one = <Value>(summary: string, value: Value): Named<Value> => ({ example: { summary, value } });

type Examples = {
  [Subject in keyof Inputs & keyof Outputs]?: {
    // What stands in the path is not part of the body.
    [Name in keyof Inputs[Subject] & keyof Outputs[Subject]]?: OperationExamples<
      Omit<NonNullable<Inputs[Subject][Name]>, "id">,
      Outputs[Subject][Name]
    >;
  };
};

const EXAMPLES: Examples = {
  messages: {
    send: {
      requests: {
        shortest: {
          summary: "What is needed, and no more",
          value: { to: "+14155550123", from: "DEMO", body: "Your code is 284917." },
        },
        everything: {
          summary: "Every field",
          value: {
            to: "+14155550123",
            from: "DEMO",
            body: "Your code is 284917.",
            route_id: 1,
            provider: "sandbox",
            smart_encoding: true,
            reference: "order-4711",
          },
        },
      },
      answers: {
        accepted: { summary: "Accepted, and on its way", value: PENDING },
        failed: {
          summary: "Failed at once, free of charge",
          value: {
            ...REFUSED,
            to: "+9995550123",
            error: { code: "no_route", message: "No route of this installation leads to this number." },
          },
        },
      },
    },
    bulk: {
      requests: one("Two recipients, one of them wrong", {
        recipients: ["+14155550123", "04155550123"],
        from: "DEMO",
        body: "We are open on Sunday.",
      }),
      answers: one("One accepted, one failed alone", {
        object: "bulk_result" as const,
        total: 2,
        sent: 1,
        failed: 1,
        messages: [PENDING, REFUSED].map((message) => ({ ...message, body: "We are open on Sunday." })),
      }),
    },
    estimate: {
      requests: one("A text with curly quotes", {
        to: "+14155550123",
        from: "DEMO",
        body: "The code “284917” is yours.",
      }),
      answers: one("One segment either way", {
        object: "estimate" as const,
        encoding: "UCS-2" as const,
        segments: 1,
        characters: 27,
        units: 27,
        non_gsm: [
          { character: "“", code_point: "U+201C", index: 9, substitute: '"' },
          { character: "”", code_point: "U+201D", index: 16, substitute: '"' },
        ],
        smart: { segments: 1, encoding: "GSM-7" as const, saved_segments: 0 },
        cost: 0.01,
        currency: "USD",
        balance: 99.99,
        sufficient: true,
        recipients: [
          {
            to: "+14155550123",
            route_id: 1,
            provider: "sandbox",
            price_per_segment: 0.01,
            cost: 0.01,
            refusal: null,
          },
        ],
        refusals: [],
      }),
    },
    get: { answers: one("Delivered", DELIVERED) },
    timeline: { answers: one("Accepted, charged, sent, delivered", TIMELINE) },
    list: { answers: one("A page of one", { items: [DELIVERED], pagination: PAGINATION }) },
  },
  accounts: {
    get: {
      answers: one("An account", {
        id: "acc_01k9x7t4m2e8v5q3r6w1y0z8an",
        object: "account" as const,
        email: "ada@shop.example",
        name: "Ada Lovelace",
        company_name: "Shop",
        country: "GB",
        status: "active" as const,
        kyc_verified: true,
        balance: 99.99,
        currency: "USD",
        created_at: "2026-01-01T09:00:00.000Z",
      }),
    },
    balance: {
      answers: one("A balance", {
        object: "balance" as const,
        balance: 99.99,
        currency: "USD",
        as_of: "2026-01-31T12:00:02.000Z",
      }),
    },
    usage: {
      answers: one("A month", {
        object: "usage" as const,
        period: "month" as const,
        starts_at: "2026-01-01T00:00:00.000Z",
        ends_at: "2026-02-01T00:00:00.000Z",
        currency: "USD",
        totals: { messages: 3, cost: 0.02 },
        by_status: { pending: 0, sent: 0, delivered: 1, failed: 1, undelivered: 1 },
      }),
    },
  },
  senders: {
    list: { answers: one("A page of one", { items: [SENDER], pagination: PAGINATION }) },
    create: {
      requests: one("A name", { sender_id: "DEMO", country_code: "US" }),
      answers: one("Waiting for an operator", { ...SENDER, status: "pending" as const, approved_at: null }),
    },
    get: { answers: one("An approved sender", SENDER) },
  },
  apiKeys: {
    list: { answers: one("One key", { object: "list" as const, data: [API_KEY] }) },
    create: {
      requests: {
        shortest: { summary: "With the permissions of its creator", value: { name: "Shop, production" } },
        everything: {
          summary: "Every field",
          value: {
            name: "Shop, production",
            permissions: ["sms:send", "sms:read"],
            rate_limit: 600,
            daily_limit: 10_000,
            monthly_limit: null,
            allowed_ips: ["203.0.113.7", "198.51.100.0/24"],
            expires_at: "2030-01-01T00:00:00Z",
          },
        },
      },
      answers: one("The key, shown this once", {
        ...API_KEY,
        last_used_at: null,
        plain_key: "ds_live_AbCd0123456789abcdefghijklmnopwXyZ",
        plain_key_notice: "Store this key now: it is shown this once and cannot be read again.",
      }),
    },
    revoke: {
      answers: one("Revoked", { id: API_KEY.id, object: "api_key", deleted: true as const }),
    },
  },
  webhooks: {
    list: { answers: one("One endpoint", { object: "list" as const, data: [ENDPOINT] }) },
    create: {
      requests: {
        shortest: { summary: "Every event", value: { url: "https://shop.example/hooks/sms" } },
        everything: {
          summary: "Every field",
          value: {
            url: "https://shop.example/hooks/sms",
            description: "Shop, production",
            events: ["message.delivered", "message.failed"],
          },
        },
      },
      answers: one("The endpoint, with its secret", {
        ...ENDPOINT,
        last_success_at: null,
        signing_secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
      }),
    },
    get: { answers: one("An endpoint", ENDPOINT) },
    delete: { answers: one("Deleted", { id: ENDPOINT.id, object: "webhook_endpoint", deleted: true as const }) },
    deliveries: { answers: one("A page of one", { items: [DELIVERY], pagination: PAGINATION }) },
    test: {
      answers: one("Taken", {
        object: "webhook_test" as const,
        delivered: true,
        status_code: 200,
        latency_ms: 60,
        error: null,
        response_head: "ok",
      }),
    },
    rotateSecret: {
      answers: one("A new secret", {
        ...ENDPOINT,
        signing_secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=",
        previous_secret_expires_at: "2026-02-01T12:00:00.000Z",
      }),
    },
    enable: { answers: one("Active again", { ...ENDPOINT, last_failure_at: "2026-01-31T11:00:00.000Z" }) },
    recover: {
      requests: one("Everything of a night", { since: "2026-01-30T22:00:00Z" }),
      answers: one("Two deliveries", { object: "webhook_recovery" as const, recovered: 2 }),
    },
    events: { answers: one("A page of one", { items: [EVENTS["message.delivered"]], pagination: PAGINATION }) },
  },
};

/** The examples of a procedure such as `messages.send`; null when it has none. */
export function examplesOf(procedure: string): OperationExamples | null {
  const [subject = "", name = ""] = procedure.split(".");
  const ofSubject = (EXAMPLES as Record<string, Record<string, OperationExamples>>)[subject];
  return ofSubject?.[name] ?? null;
}
