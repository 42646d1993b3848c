/** Handles long texts that a provider took only in part. */
import { errorFields, log } from "../core/log";
import { callbackContent, reportFrom } from "./http/callback-content";
import type { Adapter, CallbackContent } from "./port";

/** Id of the missing part of an attempt, stored with the provider's ids of the other parts. */
const missingPartOf = (reference: string): string => `${reference}-missing`;

/**
 * Wraps an adapter so that it also reports the parts of a text that were not taken. The other parts are on their way
 * and cannot be recalled, so the message counts as sent and no other provider gets it. The missing part gets its own
 * id: the receipts of the others alone cannot make the message delivered, and the report about it makes it undelivered.
 * @param take stores reports.
 */
export const reportingMissingParts = <Own extends Adapter>(
  adapter: Own,
  take: (content: CallbackContent) => Promise<void>,
): Own => ({
  ...adapter,
  send: async (sendRequest) => {
    const outcome = await adapter.send(sendRequest);
    if (outcome.kind !== "accepted" || !outcome.lost) return outcome;
    const missing = missingPartOf(sendRequest.reference);
    // Without our reference: the outcome must first record that the message was sent, and under which ids.
    const report = reportFrom({ providerMessageId: missing, reference: null, status: "undelivered", ...outcome.lost });
    try {
      await take(callbackContent({ reports: [report] }));
    } catch (thrown) {
      // The missing part still keeps the message from being delivered; it becomes undelivered without a final receipt.
      log("error", "provider.loss_not_reported", { provider: adapter.id, ...errorFields(thrown) });
    }
    return { ...outcome, providerMessageIds: [...outcome.providerMessageIds, missing] };
  },
});
