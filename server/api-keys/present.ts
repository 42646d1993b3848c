import type { ApiKey as ApiKeyRow } from "@/prisma/generated/client";
import { isTestAccount } from "../core/ids";
import { isoOrNull } from "../core/wire";
import type { ApiKey, ApiKeyDetail } from "./schema";
import { SCOPES } from "./scopes";

/**
 * Row -> wire at a point in time: a key that has expired by `at` is inactive. Omits the key's hash. `showsLimits`: with the
 * limits of messages and addresses, which are no part of the record that programs create and list.
 */
export const presentApiKey = (row: ApiKeyRow, at: Date, showsLimits = false): ApiKey => ({
  id: row.id,
  object: "api_key",
  livemode: !isTestAccount(row.accountId),
  name: row.name,
  key_hint: row.keyHint,
  is_active: row.revokedAt === null && (row.expiresAt === null || row.expiresAt > at),
  // Omits scopes that no longer exist, which grant nothing.
  permissions: SCOPES.filter((scope) => row.permissions.includes(scope)),
  rate_limit: row.rateLimit,
  ...(showsLimits && {
    daily_limit: row.dailyLimit,
    monthly_limit: row.monthlyLimit,
    allowed_ips: row.allowedIps.length > 0 ? row.allowedIps : null,
  }),
  created_by: row.createdBy,
  last_used_at: isoOrNull(row.lastUsedAt),
  expires_at: isoOrNull(row.expiresAt),
  created_at: row.createdAt.toISOString(),
});

/** Row -> wire for people: with all limits, and the time of its revocation. */
export const presentApiKeyDetail = (row: ApiKeyRow, at: Date): ApiKeyDetail => ({
  revoked_at: isoOrNull(row.revokedAt),
  ...presentApiKey(row, at, true),
});
