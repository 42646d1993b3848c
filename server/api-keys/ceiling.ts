/** Limits of new and changed keys: a key cannot grant more than it has itself. */
import { isNetworkWithin } from "../addresses/networks";
import { parseAllowedIp } from "./allowed-ip";
import type { CreateApiKeyInput } from "./schema";

/** Default requests per minute of a new key. */
export const RATE_LIMIT_DEFAULT = 600;

/** The limits of a key as stored; null and an empty list: no limit. */
export type KeyLimits = {
  rateLimit: number;
  dailyLimit: number | null;
  monthlyLimit: number | null;
  allowedIps: string[];
  expiresAt: Date | null;
};

export type RequestedLimits = Pick<
  CreateApiKeyInput,
  "rate_limit" | "daily_limit" | "monthly_limit" | "allowed_ips" | "expires_at"
>;

/** Canonical networks without duplicates; the schema has already refused invalid ones. */
const canonicalIps = (allowed: readonly string[]): string[] => [
  ...new Set(
    allowed.map((text) => {
      const parsed = parseAllowedIp(text);
      return parsed.ok ? parsed.value : text;
    }),
  ),
];

/** The limits of a new key; omitted ones are those of the creating key. `creator` is null for a person. */
export function limitsOf(requested: RequestedLimits, creator: KeyLimits | null): KeyLimits {
  const { rate_limit, daily_limit, monthly_limit, allowed_ips, expires_at } = requested;
  return {
    rateLimit: rate_limit ?? Math.min(RATE_LIMIT_DEFAULT, creator?.rateLimit ?? RATE_LIMIT_DEFAULT),
    dailyLimit: daily_limit === undefined ? (creator?.dailyLimit ?? null) : daily_limit,
    monthlyLimit: monthly_limit === undefined ? (creator?.monthlyLimit ?? null) : monthly_limit,
    allowedIps: allowed_ips === undefined ? [...(creator?.allowedIps ?? [])] : canonicalIps(allowed_ips ?? []),
    expiresAt: expires_at === undefined ? (creator?.expiresAt ?? null) : expires_at ? new Date(expires_at) : null,
  };
}

const isCountWithin = (count: number | null, ceiling: number | null): boolean =>
  ceiling === null || (count !== null && count <= ceiling);

const areIpsWithin = (allowed: readonly string[], ceiling: readonly string[]): boolean =>
  ceiling.length === 0 || (allowed.length > 0 && allowed.every((network) => isNetworkWithin(network, ceiling)));

const isEndWithin = (end: Date | null, ceiling: Date | null): boolean =>
  ceiling === null || (end !== null && end <= ceiling);

type LimitParam = keyof RequestedLimits;

/** The parameters whose limits exceed those of `ceiling`. */
export function exceededParams(limits: KeyLimits, ceiling: KeyLimits): LimitParam[] {
  const isWithin: Record<LimitParam, boolean> = {
    rate_limit: limits.rateLimit <= ceiling.rateLimit,
    daily_limit: isCountWithin(limits.dailyLimit, ceiling.dailyLimit),
    monthly_limit: isCountWithin(limits.monthlyLimit, ceiling.monthlyLimit),
    allowed_ips: areIpsWithin(limits.allowedIps, ceiling.allowedIps),
    expires_at: isEndWithin(limits.expiresAt, ceiling.expiresAt),
  };
  return (Object.keys(isWithin) as LimitParam[]).filter((param) => !isWithin[param]);
}

/** The first parameter whose limit exceeds the ceiling; null when none does. */
export const exceededParam = (limits: KeyLimits, ceiling: KeyLimits): LimitParam | null =>
  exceededParams(limits, ceiling)[0] ?? null;

/** The limits of a key after a change; omitted ones stay. */
export const changedLimits = (requested: RequestedLimits, current: KeyLimits): KeyLimits => ({
  ...limitsOf(requested, current),
  rateLimit: requested.rate_limit ?? current.rateLimit,
});
