import { isShown } from "../auth/sessions/shown-account";
import { conflict } from "../core/errors";

/** @throws 409 `account_switched` if the page shows another account than the session's. */
export function requireShown(shown: string | null, accountId: string): void {
  if (isShown(shown, accountId)) return;
  throw conflict("You have switched to another account in another tab. Reload the page to go on there.", {
    reason: "account_switched",
  });
}
