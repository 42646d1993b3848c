import { z } from "zod";
import { NullableDateTime, ownNamed } from "../core/wire";
import { PhoneNumber } from "../messages/schema";
import { BODY_MAX_CHARACTERS } from "../messages/segments";
import { PROVIDERS } from "./schema";

/**
 * - not_configured: it has no settings, or is off. misconfigured: its settings are invalid.
 * - working, open, probing: state of its circuit breaker (probing: half-open); drained: an operator keeps new messages
 *   from it.
 */
const PROVIDER_STATES = ["not_configured", "working", "drained", "open", "probing", "misconfigured"] as const;
export type ProviderStateWord = (typeof PROVIDER_STATES)[number];

const figure = () => z.number().int();

/**
 * A provider's statistics of a period. `calls` counts all outcomes; `egress_failed`: the egress proxy is unavailable or refuses.
 * Shares are 0..1, or null without calls.
 */
const ProviderFigures = z.object({
  calls: figure(),
  accepted: figure(),
  refused: figure(),
  failed: figure(),
  throttled: figure(),
  account_refused: figure(),
  message_refused: figure(),
  egress_failed: figure(),
  unknown: figure(),
  success_share: z.number().nullable(),
  mean_latency_ms: z.number().nullable(),
  receipts: figure(),
  receipts_forged: figure(),
  receipts_stale: figure(),
  receipts_replayed: figure(),
  receipts_unreadable: figure(),
  receipts_blocked: figure(),
});
export type ProviderFigures = z.output<typeof ProviderFigures>;

/** One minute of the chart; `failed` counts all outcomes except accepted and unknown. */
const ProviderMinutePoint = z.object({ minute: z.string(), accepted: figure(), failed: figure(), unknown: figure() });
export type ProviderMinutePoint = z.output<typeof ProviderMinutePoint>;

/** Operator: a provider, its state as all processes see it, and its last hour. */
export const OperatedProvider = z.object({
  id: z.enum(PROVIDERS),
  state: z.enum(PROVIDER_STATES),
  source: z.enum(["environment", "operator"]).nullable(),
  problem: z.string().nullable(),
  health: z.number(),
  alarm: z.string().nullable(),
  open_until: NullableDateTime,
  max_segments_per_second: z.number().nullable(),
  is_drained: z.boolean(),
  last_hour: ProviderFigures,
  minutes: z.array(ProviderMinutePoint),
});
export type OperatedProvider = z.output<typeof OperatedProvider>;

/** A setting as a form shows it. `value` is null for a secret, whether it is set or not. */
const ProviderSetting = z.object({
  name: z.string(),
  description: z.string(),
  is_secret: z.boolean(),
  is_required: z.boolean(),
  standard: z.string().nullable(),
  environment: z.string(),
  is_set: z.boolean(),
  value: z.string().nullable(),
});
export type ProviderSetting = z.output<typeof ProviderSetting>;

/**
 * Operator: a provider with its settings form and its receipt URL; null: it sends no callbacks. The URL before the last rotation is
 * valid until `former_receipt_url_until`; null: there is none.
 */
export const ProviderDetail = OperatedProvider.extend({
  settings: z.array(ProviderSetting),
  receipt_url: z.string().nullable(),
  is_receipt_url_rotatable: z.boolean(),
  former_receipt_url_until: NullableDateTime,
});
export type ProviderDetail = z.output<typeof ProviderDetail>;

export const ProviderPath = z.object({ id: z.enum(PROVIDERS) });
export type ProviderPath = z.output<typeof ProviderPath>;

const SETTING_MAX = 4_096;
/** More than any provider has. */
const SETTINGS_MAX = 100;

/** An empty text keeps a stored secret and removes any other setting; null removes a secret too. */
export const SaveProviderSettingsInput = ProviderPath.extend({
  settings: ownNamed(z.record(z.string().max(100), z.string().max(SETTING_MAX).nullable()), { pairsMax: SETTINGS_MAX }),
});
export type SaveProviderSettingsInput = z.output<typeof SaveProviderSettingsInput>;

export const DrainProviderInput = ProviderPath.extend({ is_drained: z.boolean() });
export type DrainProviderInput = z.output<typeof DrainProviderInput>;

/** Throughput limit in segments per second; null: none. */
export const ThroughputLimit = z
  .number()
  .min(0.01, "must be at least 0.01")
  .max(10_000, "must be at most 10000")
  .nullable();

export const ThrottleProviderInput = ProviderPath.extend({ max_segments_per_second: ThroughputLimit });
export type ThrottleProviderInput = z.output<typeof ThrottleProviderInput>;

export const TestProviderInput = ProviderPath.extend({
  to: PhoneNumber,
  from: z.string().min(1, "must be given").max(16),
  body: z.string().min(1, "must be given").max(BODY_MAX_CHARACTERS),
});
export type TestProviderInput = z.output<typeof TestProviderInput>;

/** Outcome of one test message. */
export const ProviderTest = z.object({
  outcome: z.enum(["accepted", "refused", "retryable", "unknown"]),
  code: z.string().nullable(),
  detail: z.string().nullable(),
  provider_message_ids: z.array(z.string()),
  reference: z.string(),
  latency_ms: z.number().int(),
});
export type ProviderTest = z.output<typeof ProviderTest>;
