import { timeOfId } from "../core/ids";
import { isE164 } from "../messages/phone";
import type { InboundMessage } from "./schema";
import { addressedAs } from "./sender-spellings";
import type { InboundRow } from "./store";

const ACTIONS: Readonly<Record<string, InboundMessage["action"]>> = { stop: "opt_out", start: "opt_in" };

/** Row -> wire. A keyword acts on a number only: a name cannot be suppressed. */
export const presentInbound = (row: InboundRow): InboundMessage => ({
  id: row.id,
  object: "inbound_message",
  from: row.fromNumber,
  to: addressedAs(row.toNumber),
  body: row.body,
  action: row.keyword !== null && isE164(row.fromNumber) ? (ACTIONS[row.keyword] ?? null) : null,
  provider: row.provider,
  provider_message_id: row.providerMessageId,
  received_at: row.receivedAt.toISOString(),
  created_at: timeOfId(row.id).toISOString(),
});
