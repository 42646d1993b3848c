/** Whether an account may send, and whether its balance covers the cost. */
import { type ApiError, forbidden, insufficientBalance } from "../../core/errors";
import { fromMicros } from "../../core/wire";

/** A 403 when the account may not send; null: it may. */
export const inactiveRefusal = (account: { status: string } | null | undefined): ApiError | null =>
  account?.status === "active"
    ? null
    : forbidden("This account may not send messages.", { reason: "account_not_active" });

/** A 402 when the balance does not cover the cost; null: it does. */
export const balanceRefusal = (costMicros: bigint, balanceMicros: bigint, currency: string): ApiError | null =>
  costMicros <= balanceMicros
    ? null
    : insufficientBalance("The balance does not cover this request. Nothing was sent.", {
        details: { required: fromMicros(costMicros), balance: fromMicros(balanceMicros), currency },
      });
