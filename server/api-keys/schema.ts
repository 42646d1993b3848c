import { z } from "zod";
import { DateTime, kindOf, NullableDateTime } from "../core/wire";
import { parseAllowedIp } from "./ip-allowlist";
import { SCOPES } from "./scopes";

const RATE_LIMIT_MAX = 6_000;
/** PostgreSQL's integer; no real limit comes near. */
const COUNT_MAX = 2_147_483_647;

export const ApiKey = z.object({
  id: z.string().describe("Key id, prefix key_."),
  object: kindOf("api_key"),
  name: z.string().describe("What the key is for, as you named it."),
  key_hint: z.string().describe("The key abbreviated: first characters, an ellipsis, last characters."),
  is_active: z.boolean().describe("False once revoked or expired."),
  permissions: z.array(z.enum(SCOPES)).describe("What the key may do."),
  rate_limit: z.number().int().describe("Requests per minute."),
  last_used_at: NullableDateTime.describe("When it was last used, ISO 8601, exact to a minute; null: never."),
  expires_at: NullableDateTime.describe("When it stops working, ISO 8601; null: never."),
  created_at: DateTime.describe("When it was created, ISO 8601."),
});
export type ApiKey = z.output<typeof ApiKey>;

export const CreatedApiKey = ApiKey.extend({
  plain_key: z.string().describe("The whole key. Shown in this answer only; only its hash is kept."),
  plain_key_notice: z.string().describe("A reminder to store the key now."),
});
export type CreatedApiKey = z.output<typeof CreatedApiKey>;

export const CreateApiKeyInput = z.object({
  name: z.string().trim().min(1).max(100).describe("What the key is for."),
  permissions: z
    .array(z.enum(SCOPES))
    .min(1)
    .optional()
    .describe("What the key may do; never more than its creator may. Omitted: the creator's own permissions."),
  rate_limit: z
    .int()
    .min(1)
    .max(RATE_LIMIT_MAX)
    .optional()
    .describe("Requests per minute, 1 to 6000. Omitted: 600, or the creating key's own if that is less."),
  daily_limit: z
    .int()
    .min(1)
    .max(COUNT_MAX)
    .nullish()
    .describe("Messages per UTC day; null: no limit. Omitted: the creating key's own."),
  monthly_limit: z
    .int()
    .min(1)
    .max(COUNT_MAX)
    .nullish()
    .describe("Messages per UTC month; null: no limit. Omitted: the creating key's own."),
  allowed_ips: z
    .array(z.string().refine((text) => parseAllowedIp(text).ok, "must be an IPv4 address or CIDR range"))
    .max(100)
    .nullish()
    .describe(
      "IPv4 addresses or CIDR ranges from which the key may be used; null: from anywhere. Omitted: the creating key's own.",
    ),
  expires_at: DateTime.nullish().describe(
    "When the key stops working, ISO 8601; must lie in the future. Null: never. Omitted: with the creating key.",
  ),
});
export type CreateApiKeyInput = z.output<typeof CreateApiKeyInput>;

export const ApiKeyId = z.object({ id: z.string().describe("Key id, prefix key_.") });
