import { forbidden } from "../core/errors";

/** Returns the account when something may be created for it. @throws 403 `account_not_active` */
export function requireUnsuspended<Account extends { status: string }>(account: Account | undefined): Account {
  if (account?.status === "active") return account;
  throw forbidden("This account is suspended: it cannot create anything new.", { reason: "account_not_active" });
}
