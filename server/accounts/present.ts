import type { Account as AccountRow } from "@/prisma/generated/client";
import { fromMicros } from "../core/wire";
import type { Account } from "./schema";

/** Row -> wire. Omits reserved money, which is neither available nor charged yet. */
export const presentAccount = (row: AccountRow): Account => ({
  id: row.id,
  object: "account",
  email: row.email,
  name: row.name,
  company_name: row.companyName,
  country: row.country,
  status: row.status as Account["status"],
  kyc_verified: row.kycVerified,
  balance: fromMicros(row.balanceMicros),
  currency: row.currency,
  created_at: row.createdAt.toISOString(),
});
