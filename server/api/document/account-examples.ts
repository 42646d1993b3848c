/** Examples of the API document: their types, and the examples of accounts, senders, suppressions and keys. */
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../router";
import { API_KEY, LAST_PAGE, SENDER, SUPPRESSION } from "./samples";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

type Named<Value> = Record<string, { summary: string; value: Value }>;
export type OperationExamples<Input = unknown, Output = unknown> = {
  requests?: Named<Input>;
  responses: Named<Output>;
};

export const one = <Value>(summary: string, value: Value): Named<Value> => ({ example: { summary, value } });

export type Examples = {
  [Subject in keyof Inputs & keyof Outputs]?: {
    // `id` is in the path, not in the body.
    [Name in keyof Inputs[Subject] & keyof Outputs[Subject]]?: OperationExamples<
      Omit<NonNullable<Inputs[Subject][Name]>, "id">,
      Outputs[Subject][Name]
    >;
  };
};

export const ACCOUNT_EXAMPLES: Examples = {
  accounts: {
    get: {
      responses: one("An account", {
        id: "acc_01k9x7t4m2e8",
        object: "account" as const,
        livemode: true,
        email: "ada@shop.example",
        name: "Ada Lovelace",
        company_name: "Shop",
        country: "GB",
        status: "active" as const,
        kyc_verified: true,
        balance: 99.99,
        currency: "USD",
        quiet_hours: { starts_at: "21:00", ends_at: "08:00" },
        sending_limits: {
          countries: { rule: "except" as const, countries: ["NG"] },
          daily_spend_cap: 50,
          operator: { allowed_countries: [], daily_spend_cap: 200 },
        },
        text_retention_days: 30,
        created_at: "2026-01-01T09:00:00.000Z",
      }),
    },
    balance: {
      responses: one("A balance", {
        object: "balance" as const,
        livemode: true,
        balance: 99.99,
        currency: "USD",
        as_of: "2026-01-31T12:00:02.000Z",
      }),
    },
    usage: {
      responses: one("A month", {
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
    list: { responses: one("A page of one", { items: [SENDER], ...LAST_PAGE }) },
    create: {
      requests: one("A name", { sender_id: "DEMO", country_code: "US" }),
      responses: one("Waiting for approval", { ...SENDER, status: "pending" as const, approved_at: null }),
    },
    get: { responses: one("An approved sender", SENDER) },
    update: {
      requests: one("A registration in India", {
        dlt_entity_id: "1201159178492032504",
        dlt_template_id: "1107169175728319365",
        dlt_template_category: "service_implicit" as const,
      }),
      responses: one("The changed sender", {
        ...SENDER,
        country_code: "IN",
        dlt_entity_id: "1201159178492032504",
        dlt_template_id: "1107169175728319365",
        dlt_template_category: "service_implicit" as const,
      }),
    },
    delete: { responses: one("Deleted", { id: SENDER.id, object: "sender", deleted: true as const }) },
  },
  suppressions: {
    list: { responses: one("A page of one", { items: [SUPPRESSION], ...LAST_PAGE }) },
    create: {
      requests: {
        shortest: { summary: "From every sender", value: { number: "+14155550124" } },
        everything: {
          summary: "Every field",
          value: { number: "+14155550124", sender_id: "DEMO", note: "Asked for it on the phone." },
        },
      },
      responses: one("Suppressed manually", {
        ...SUPPRESSION,
        reason: "manual" as const,
        note: "Asked for it on the phone.",
      }),
    },
    import: {
      requests: one("A list from another system", {
        numbers: ["+14155550124", "0049 1512 3456789", "nobody"],
        note: "Opted out before 2026.",
      }),
      responses: one("Two added, one refused", {
        object: "suppression_import" as const,
        added: 2,
        existing: 0,
        duplicates: 0,
        refused: 1,
        refusals: [{ line: 3, number: "nobody", reason: "invalid_recipient" as const }],
      }),
    },
    delete: { responses: one("Deleted", { id: SUPPRESSION.id, object: "suppression", deleted: true as const }) },
  },
  apiKeys: {
    list: { responses: one("One key", { object: "list" as const, data: [API_KEY] }) },
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
      responses: one("The key, shown only once", {
        ...API_KEY,
        last_used_at: null,
        plain_key: "ds_live_AbCd0123456789abcdefghijklmnopwXyZ",
        plain_key_notice: "Store this key now: it is shown this once and cannot be read again.",
      }),
    },
    update: {
      requests: {
        expiry: { summary: "An end", value: { expires_at: "2030-01-01T00:00:00Z" } },
        everything: {
          summary: "Every field",
          value: {
            name: "Shop, production",
            rate_limit: 600,
            daily_limit: 10_000,
            monthly_limit: null,
            allowed_ips: ["203.0.113.7", "198.51.100.0/24"],
            expires_at: null,
          },
        },
      },
      responses: one("The key as it is now", {
        ...API_KEY,
        ...{ daily_limit: 10_000, monthly_limit: null, allowed_ips: ["203.0.113.0/24"] },
      }),
    },
    revoke: {
      responses: one("Revoked", { id: API_KEY.id, object: "api_key", deleted: true as const }),
    },
  },
};
