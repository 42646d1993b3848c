/** Texts of which a provider took some parts and not the others. */
import { errorFields, log } from "../core/log";
import type { Adapter, CallbackContent } from "./port";

/** Names the missing part of an attempt where its provider's ids name the others. */
const missingPartOf = (reference: string): string => `${reference}-missing`;

/**
 * The same adapter, which also reports what it could not hand over of a text. What was taken is on its way and cannot be
 * called back, so the message counts as sent and goes to nobody else. The missing part gets an id beside those of the
 * others: their receipts alone cannot make the message delivered then, and the report about it makes it undelivered.
 * @param take where reports go.
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
    // Without our reference: it is for the answer to say first that the message was sent, and under which id.
    const report = { providerMessageId: missing, reference: null, status: "undelivered", occurredAt: null } as const;
    try {
      await take({ reports: [{ ...report, ...outcome.lost }], inbound: [] });
    } catch (thrown) {
      // It is never delivered all the same, and counts as undelivered when no final receipt has come in time.
      log("error", "provider.loss_not_reported", { provider: adapter.id, ...errorFields(thrown) });
    }
    return { ...outcome, providerMessageIds: [...outcome.providerMessageIds, missing] };
  },
});
