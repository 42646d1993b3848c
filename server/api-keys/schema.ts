import { z } from "zod";
import { DateTime, DateTimeInput, ENTRIES_MAX, kindOf, LiveMode, NullableDateTime } from "../core/wire";
import { parseAllowedIp } from "./allowed-ip";
import { SCOPES } from "./scopes";

const RATE_LIMIT_MAX = 6_000;
/** Maximum of PostgreSQL's integer, far above any real limit. */
const COUNT_MAX = 2_147_483_647;

/**
 * Only for callers who change keys: the addresses from which a key may be used concern nobody else, and are not part of its
 * record.
 */
const LIMITS_SHOWN = {
  daily_limit: z
    .number()
    .int()
    .nullable()
    .optional()
    .describe("Messages per UTC day; null: no limit. Only in the response to a change."),
  monthly_limit: z
    .number()
    .int()
    .nullable()
    .optional()
    .describe("Messages per UTC month; null: no limit. Only in the response to a change."),
  allowed_ips: z
    .array(z.string())
    .nullable()
    .optional()
    .describe(
      "IPv4 addresses or CIDR ranges from which the key may be used; null: any. Only in the response to a change.",
    ),
};

export const ApiKey = z.object({
  id: z.string().describe("Key id, prefix key_."),
  object: kindOf("api_key"),
  livemode: LiveMode,
  name: z.string().describe("Your name for the key."),
  key_hint: z.string().describe("Abbreviated key: first characters, an ellipsis, last characters."),
  is_active: z.boolean().describe("False once revoked or expired."),
  permissions: z.array(z.enum(SCOPES)).describe("Permissions of the key."),
  rate_limit: z.number().int().describe("Requests per minute."),
  ...LIMITS_SHOWN,
  created_by: z
    .string()
    .nullable()
    .describe("Id of the key that created it, whose limits it shares; null: a person, or not known."),
  last_used_at: NullableDateTime.describe("Time of the last use, ISO 8601, exact to a minute; null: never."),
  expires_at: NullableDateTime.describe("Time when the key expires, ISO 8601; null: never."),
  created_at: DateTime.describe("Time of creation, ISO 8601."),
});
export type ApiKey = z.output<typeof ApiKey>;

/** Console: a key with all limits, and when it was revoked; null: never. One that expired since is still one that was revoked. */
export const ApiKeyDetail = ApiKey.extend({ revoked_at: NullableDateTime });
export type ApiKeyDetail = z.output<typeof ApiKeyDetail>;

export const CreatedApiKey = ApiKey.omit({ daily_limit: true, monthly_limit: true, allowed_ips: true }).extend({
  plain_key: z.string().describe("The whole key, shown in this response only; only its hash is stored."),
  plain_key_notice: z.string().describe("A reminder to store the key now."),
});
export type CreatedApiKey = z.output<typeof CreatedApiKey>;

export const CreateApiKeyInput = z.object({
  name: z.string().trim().min(1).max(100).describe("Your name for the key."),
  permissions: z
    .array(z.enum(SCOPES))
    .min(1)
    .max(ENTRIES_MAX)
    .optional()
    .describe("Permissions of the key, never more than its creator has. Omitted: the creator's permissions."),
  rate_limit: z
    .int()
    .min(1)
    .max(RATE_LIMIT_MAX)
    .optional()
    .describe("Requests per minute, 1 to 6000. Omitted: 600, or the creating key's limit if that is lower."),
  daily_limit: z
    .int()
    .min(1)
    .max(COUNT_MAX)
    .nullish()
    .describe("Messages per UTC day; null: no limit. Omitted: the creating key's limit."),
  monthly_limit: z
    .int()
    .min(1)
    .max(COUNT_MAX)
    .nullish()
    .describe("Messages per UTC month; null: no limit. Omitted: the creating key's limit."),
  allowed_ips: z
    .array(z.string().refine((text) => parseAllowedIp(text).ok, "must be an IPv4 address or CIDR range"))
    .max(100)
    .nullish()
    .describe(
      "IPv4 addresses or CIDR ranges from which the key may be used; null or an empty list: any. Omitted: those of the creating key.",
    ),
  expires_at: DateTimeInput.nullish().describe(
    "Time when the key expires, ISO 8601, in the future; null: never. Omitted: with the creating key.",
  ),
});
export type CreateApiKeyInput = z.output<typeof CreateApiKeyInput>;

const ApiKeyId = z.object({ id: z.string().describe("Key id, prefix key_.") });

const { name, rate_limit, daily_limit, monthly_limit, allowed_ips, expires_at } = CreateApiKeyInput.shape;

export const UpdateApiKeyInput = ApiKeyId.extend({
  name: name.optional().describe("New name; omitted: unchanged."),
  rate_limit: rate_limit.describe("Requests per minute, 1 to 6000; omitted: unchanged."),
  daily_limit: daily_limit.describe("Messages per UTC day; null: no limit; omitted: unchanged."),
  monthly_limit: monthly_limit.describe("Messages per UTC month; null: no limit; omitted: unchanged."),
  allowed_ips: allowed_ips.describe("IPv4 addresses or CIDR ranges; null or an empty list: any; omitted: unchanged."),
  expires_at: expires_at.describe(
    "Time when the key expires, ISO 8601, in the future; null: never; omitted: unchanged.",
  ),
});
export type UpdateApiKeyInput = z.output<typeof UpdateApiKeyInput>;

const BOOLEAN_WORDS: ReadonlyMap<unknown, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

export const RevokeApiKeyInput = ApiKeyId.extend({
  cascade: z
    .preprocess((value) => BOOLEAN_WORDS.get(value) ?? value, z.boolean().default(false))
    .describe("True also revokes the keys that were created with this key, and those created with them."),
});
export type RevokeApiKeyInput = z.output<typeof RevokeApiKeyInput>;

/** Hours for which the old key may go on working. */
const GRACE_HOURS = [0, 1, 24, 168] as const;

/** Console. `grace_hours` 0: it is revoked at once. */
export const RotateApiKeyInput = ApiKeyId.extend({ grace_hours: z.literal(GRACE_HOURS).default(24) });
export type RotateApiKeyInput = z.output<typeof RotateApiKeyInput>;
