/** Derives why a message failed from the code that is stored with it. Pure. */
import { httpProvider } from "./catalogue";
import { isUnexplainedDetail } from "./http/callback-content";
import type { StoredFailure } from "./port";
import type { FailureReason } from "./schema";
import { reasonOfReceipt } from "./smpp/receipt";
import { reasonOfStatus } from "./smpp/status";

/** Codes that the service gives itself, and the sandbox's. Providers use none of them with another meaning. */
export const OWN_REASONS: ReadonlyMap<string, FailureReason> = new Map([
  ["invalid_recipient", "invalid_recipient"],
  ["no_route", "no_provider"],
  ["blocklisted", "opted_out"],
  ["country_not_allowed", "blocked"],
  ["flood_limit", "rate"],
  ["account_not_active", "account"],
  ["sender_not_approved", "sender"],
  ["canceled", "canceled"],
  ["quiet_hours", "expired"],
  ["expired", "expired"],
  ["daily_spend_cap", "account"],
  ["no_provider_available", "no_provider"],
  ["provider_outcome_unknown", "unknown"],
  ["no_final_receipt", "unknown"],
  ["absent_subscriber", "unreachable"],
]);

/** The reason of a failure. @param provider that had the message; null: none had. */
export function failureReason(provider: string | null, failure: StoredFailure): FailureReason {
  return OWN_REASONS.get(failure.code) ?? reasonOfProvider(provider, failure) ?? "unknown";
}

function reasonOfProvider(provider: string | null, failure: StoredFailure): FailureReason | undefined {
  // A code that had no meaning when it was reported may be one of another series, with the same number.
  if (provider === null || isUnexplainedDetail(failure.detail)) return undefined;
  if (provider === "smpp") return reasonOfStatus(failure.code) ?? reasonOfReceipt(failure.detail);
  return httpProvider(provider)?.reasonOf(failure);
}
