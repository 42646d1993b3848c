import { z } from "zod";
import { NullableDateTime } from "../core/wire";
import { PROVIDERS } from "./schema";

/**
 * - not_configured: it has no settings, or is off. misconfigured: it has some, and they are wrong.
 * - working, open, probing: as its circuit breaker says; drained: an operator gives it nothing new.
 */
const PROVIDER_STATES = ["not_configured", "working", "drained", "open", "probing", "misconfigured"] as const;
export type ProviderStateWord = (typeof PROVIDER_STATES)[number];

const figure = () => z.number().int();

/** What happened with a provider over a while. `calls` reached an end of any kind; shares are 0..1, null without calls. */
const ProviderFigures = z.object({
  calls: figure(),
  accepted: figure(),
  refused: figure(),
  failed: figure(),
  throttled: figure(),
  account_refused: figure(),
  message_refused: figure(),
  unknown: figure(),
  success_share: z.number().nullable(),
  mean_latency_ms: z.number().nullable(),
  receipts: figure(),
  receipts_forged: figure(),
  receipts_stale: figure(),
  receipts_replayed: figure(),
  receipts_unreadable: figure(),
});
export type ProviderFigures = z.output<typeof ProviderFigures>;

/** One minute of the chart; `failed` is everything that was neither accepted nor of unknown end. */
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

/** Operator: a provider with the form of its settings and where its receipts go; null: it calls nobody. */
export const ProviderDetail = OperatedProvider.extend({
  settings: z.array(ProviderSetting),
  receipt_url: z.string().nullable(),
});
export type ProviderDetail = z.output<typeof ProviderDetail>;

export const ProviderPath = z.object({ id: z.enum(PROVIDERS) });
export type ProviderPath = z.output<typeof ProviderPath>;

const SETTING_MAX = 4_096;

/** An empty text keeps a secret that is stored, and takes away any other setting; null takes away a secret too. */
export const SaveProviderSettingsInput = ProviderPath.extend({
  settings: z.record(z.string().max(100), z.string().max(SETTING_MAX).nullable()),
});
export type SaveProviderSettingsInput = z.output<typeof SaveProviderSettingsInput>;

export const DrainProviderInput = ProviderPath.extend({ is_drained: z.boolean() });
export type DrainProviderInput = z.output<typeof DrainProviderInput>;

/** Segments per second; null: as fast as it takes them. */
const Pace = z.number().min(0.01, "must be at least 0.01").max(10_000, "must be at most 10000").nullable();

export const ThrottleProviderInput = ProviderPath.extend({ max_segments_per_second: Pace });
export type ThrottleProviderInput = z.output<typeof ThrottleProviderInput>;

const BODY_MAX = 1_600;

export const TestProviderInput = ProviderPath.extend({
  to: z.string().regex(/^\+[1-9]\d{6,14}$/, "must be a number in international form, such as +14155550123"),
  from: z.string().min(1, "must be given").max(16),
  body: z.string().min(1, "must be given").max(BODY_MAX),
});
export type TestProviderInput = z.output<typeof TestProviderInput>;

/** How a hand-over of one test message ended. */
export const ProviderTest = z.object({
  outcome: z.enum(["accepted", "refused", "retryable", "unknown"]),
  code: z.string().nullable(),
  detail: z.string().nullable(),
  provider_message_ids: z.array(z.string()),
  reference: z.string(),
  latency_ms: z.number().int(),
});
export type ProviderTest = z.output<typeof ProviderTest>;
