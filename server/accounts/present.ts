import type { Account as AccountRow } from "@/prisma/generated/client";
import { isTestAccount } from "../core/ids";
import { fromMicros } from "../core/wire";
import type { Account } from "./schema";

/**
 * Row -> wire. Omits reserved money, which is neither available nor charged yet.
 * @param money the row whose balance is shown: in test mode the twin's, beside what its live account is.
 */
export const presentAccount = (row: AccountRow, money: AccountRow = row): Account => ({
  id: row.id,
  object: "account",
  livemode: !isTestAccount(money.id),
  email: row.email,
  name: row.name,
  company_name: row.companyName,
  country: row.country,
  status: row.status as Account["status"],
  kyc_verified: row.kycVerified,
  balance: fromMicros(money.balanceMicros),
  currency: money.currency,
  created_at: row.createdAt.toISOString(),
});
