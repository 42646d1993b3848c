/**
 * Examples of the API document, by procedure. The compiler checks them against the schemas, a test against the document.
 */
import { ACCOUNT_EXAMPLES, type Examples, type OperationExamples, one } from "./account-examples";
import {
  CANCELED,
  DELIVERED,
  DELIVERY,
  ENDPOINT,
  EVENTS,
  INBOUND,
  LAST_PAGE,
  PENDING,
  REFUSED,
  TIMELINE,
} from "./samples";

const EXAMPLES: Examples = {
  messages: {
    send: {
      requests: {
        shortest: {
          summary: "Required fields only",
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
            send_at: "2026-02-01T09:00:00+01:00",
            validity_period: 3600,
            reference: "order-4711",
            metadata: { order: "4711" },
          },
        },
      },
      responses: {
        accepted: { summary: "Accepted", value: PENDING },
        failed: {
          summary: "Failed at once, free of charge",
          value: {
            ...REFUSED,
            to: "+9995550123",
            error: {
              code: "no_route",
              message: "No route with a provider that is set up leads to this number.",
              reason: "no_provider",
            },
          },
        },
      },
    },
    bulk: {
      requests: one("Two recipients, one of them invalid", {
        recipients: ["+14155550123", "04155550123"],
        from: "DEMO",
        body: "We are open on Sunday.",
      }),
      responses: one("One accepted, one failed", {
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
      responses: one("One segment either way", {
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
            segments: 1,
            cost: 0.01,
            scheduled_at: null,
            refusal: null,
          },
        ],
        refusals: [],
      }),
    },
    cancel: { responses: one("Canceled", CANCELED) },
    reschedule: {
      requests: {
        later: { summary: "Another time", value: { send_at: "2026-02-01T20:00:00+01:00" } },
        now: { summary: "At once, also in quiet hours", value: { send_at: null, quiet_hours: "ignore" as const } },
      },
      responses: one("Rescheduled", { ...PENDING, scheduled_at: "2026-02-01T19:00:00.000Z" }),
    },
    redact: { responses: one("Deleted", { ...DELIVERED, body: "" }) },
    get: { responses: one("Delivered", DELIVERED) },
    timeline: { responses: one("Accepted, charged, sent, delivered", TIMELINE) },
    list: { responses: one("A page of one", { items: [DELIVERED], ...LAST_PAGE }) },
  },
  inbound: {
    list: { responses: one("A page of one", { items: [INBOUND], ...LAST_PAGE }) },
    get: {
      responses: {
        text: { summary: "A text", value: INBOUND },
        stop: { summary: "A STOP", value: { ...INBOUND, body: "STOP", action: "opt_out" as const } },
      },
    },
  },
  ...ACCOUNT_EXAMPLES,
  webhooks: {
    list: { responses: one("One endpoint", { object: "list" as const, data: [ENDPOINT] }) },
    create: {
      requests: {
        shortest: { summary: "Every status change", value: { url: "https://shop.example/hooks/sms" } },
        everything: {
          summary: "Every field",
          value: {
            url: "https://shop.example/hooks/sms",
            description: "Shop, production",
            events: ["message.delivered", "message.failed"],
          },
        },
      },
      responses: one("The endpoint, with its secret", {
        ...ENDPOINT,
        last_success_at: null,
        signing_secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
      }),
    },
    get: { responses: one("An endpoint", ENDPOINT) },
    update: {
      requests: {
        url: { summary: "Another URL", value: { url: "https://shop.example/hooks/sms" } },
        everything: {
          summary: "Every field",
          value: {
            url: "https://shop.example/hooks/sms",
            description: "Shop, production",
            events: ["*" as const],
          },
        },
      },
      responses: one("The endpoint as it is now", ENDPOINT),
    },
    delete: { responses: one("Deleted", { id: ENDPOINT.id, object: "webhook_endpoint", deleted: true as const }) },
    deliveries: { responses: one("A page of one", { items: [DELIVERY], ...LAST_PAGE }) },
    test: {
      responses: one("Taken", {
        object: "webhook_test" as const,
        delivered: true,
        status_code: 200,
        latency_ms: 60,
        error: null,
        response_head: "ok",
      }),
    },
    rotateSecret: {
      responses: one("A new secret", {
        ...ENDPOINT,
        signing_secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=",
        previous_secret_expires_at: "2026-02-01T12:00:00.000Z",
      }),
    },
    pause: {
      responses: one("Paused", {
        ...ENDPOINT,
        is_active: false,
        disabled_at: "2026-01-31T12:00:00.000Z",
        paused_at: "2026-01-31T12:00:00.000Z",
        paused_by: "key_01k9x7t4m2e8v5q3r6w1y0z8aj",
      }),
    },
    resume: { responses: one("Active again", ENDPOINT) },
    enable: { responses: one("Active again", { ...ENDPOINT, last_failure_at: "2026-01-31T11:00:00.000Z" }) },
    recover: {
      requests: one("Events of one night", { since: "2026-01-30T22:00:00Z" }),
      responses: one("Two deliveries", { object: "webhook_recovery" as const, recovered: 2 }),
    },
    events: {
      responses: {
        sent: {
          summary: "A page of one",
          value: { items: [EVENTS["message.delivered"]], ...LAST_PAGE },
        },
        received: {
          summary: "With `type=message.received`",
          value: { items: [EVENTS["message.received"]], ...LAST_PAGE },
        },
      },
    },
  },
};

/** The examples of a procedure such as `messages.send`; null when it has none. */
export function examplesOf(procedure: string): OperationExamples | null {
  const [subject = "", name = ""] = procedure.split(".");
  const ofSubject = (EXAMPLES as Record<string, Record<string, OperationExamples>>)[subject];
  return ofSubject?.[name] ?? null;
}
