import type { Account as AccountRow } from "@/prisma/generated/client";
import { isTestAccount } from "../core/ids";
import { fromMicros } from "../core/wire";
import type { Account, CountryRule, QuietHours, SendingLimits } from "./schema";
import type { LockedAccount } from "./store";

const MINUTES_PER_HOUR = 60;

const timeOfDay = (minute: number): string =>
  [Math.floor(minute / MINUTES_PER_HOUR), minute % MINUTES_PER_HOUR]
    .map((part) => `${part}`.padStart(2, "0"))
    .join(":");

/** Minutes after midnight to times of day, HH:MM; null: no quiet hours. */
export const presentQuietHours = ({
  quietStartsMinute,
  quietEndsMinute,
}: Pick<AccountRow, "quietStartsMinute" | "quietEndsMinute">): QuietHours | null =>
  quietStartsMinute === null || quietEndsMinute === null
    ? null
    : { starts_at: timeOfDay(quietStartsMinute), ends_at: timeOfDay(quietEndsMinute) };

/** HH:MM to minutes after midnight. */
export function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * MINUTES_PER_HOUR + minutes;
}

/** The owners' rule for countries; null: none. */
export const presentCountries = ({
  ownCountryRule,
  ownCountries,
}: Pick<LockedAccount, "ownCountryRule" | "ownCountries">): CountryRule | null =>
  ownCountryRule === null
    ? null
    : { rule: ownCountryRule as CountryRule["rule"], countries: [...(ownCountries ?? [])].sort() };

/** Micros to units of the currency; null: no cap. */
export const presentCap = (micros: bigint | null): number | null => (micros === null ? null : fromMicros(micros));

const presentLimits = (row: AccountRow): SendingLimits => ({
  countries: presentCountries(row),
  daily_spend_cap: presentCap(row.ownDailySpendCapMicros),
  operator: { allowed_countries: row.allowedCountries, daily_spend_cap: presentCap(row.dailySpendCapMicros) },
});

/**
 * Row -> wire. Omits reserved money, which is neither available nor charged yet.
 * @param own the row whose balance and settings are shown: in test mode the twin's; everything else comes from the live account.
 */
export const presentAccount = (row: AccountRow, own: AccountRow = row): Account => ({
  id: row.id,
  object: "account",
  livemode: !isTestAccount(own.id),
  email: row.email,
  name: row.name,
  company_name: row.companyName,
  country: row.country,
  status: row.status as Account["status"],
  kyc_verified: row.kycVerified,
  balance: fromMicros(own.balanceMicros),
  currency: own.currency,
  quiet_hours: presentQuietHours(own),
  sending_limits: presentLimits(own),
  text_retention_days: own.textRetentionDays,
  created_at: row.createdAt.toISOString(),
});
