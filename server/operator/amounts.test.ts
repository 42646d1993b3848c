import { expect, test } from "vitest";
import { DailySpendCapInput } from "../accounts/schema";
import { UpdateAlertsInput } from "../alerts/schema";
import { CreateRouteInput } from "../routing/schema";
import { CreditAccountInput, LimitAccountInput } from "./schema";

const LIMITS = { account_id: "acc", allowed_countries: [], flood_identical: null, flood_total: null };
const ALERTS = { by_mail: true, url: null, new_secret: false };

test.each([
  ["a credit", (amount: number) => CreditAccountInput.safeParse({ account_id: "acc", amount })],
  ["an operator's cap", (cap: number) => LimitAccountInput.safeParse({ ...LIMITS, daily_spend_cap: cap })],
  ["the owners' cap", (cap: number) => DailySpendCapInput.safeParse({ daily_spend_cap: cap })],
  ["the threshold of an alert", (limit: number) => UpdateAlertsInput.safeParse({ ...ALERTS, low_balance: limit })],
  ["a price", (price: number) => CreateRouteInput.safeParse({ chain: ["sandbox"], price })],
])("%s is kept to the sixth decimal, and refused with more instead of rounded", (_, parse) => {
  for (const amount of [0.000001, 1.005, 2.675, 999.999999]) expect(parse(amount).success, `${amount}`).toBe(true);
  for (const amount of [0.0000001, 0.0000015, 1.0000005]) expect(parse(amount).success, `${amount}`).toBe(false);
});
