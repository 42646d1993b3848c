/**
 * The account that a page of the console shows. All tabs share a session, so a page opened before a switch to another account
 * must not act in that account.
 */
export const SHOWN_ACCOUNT_HEADER = "x-shown-account";

/** Whether a page that shows this account may act through a session of `accountId`; null: the page does not say. */
export const isShown = (shown: string | null, accountId: string): boolean => shown === null || shown === accountId;
