import type { Account as AccountRow } from "@/prisma/generated/client";
import { isTestAccount } from "../core/ids";
import { fromMicros } from "../core/wire";
import type { Account, QuietHours } from "./schema";

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
  created_at: row.createdAt.toISOString(),
});
