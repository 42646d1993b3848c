import type { DltIds, OutboundMessage } from "./port";

const INDIA = "+91";

/** The ids that a provider gets with a message to India; null: it goes elsewhere, or its sender has none. */
export const dltIdsOf = ({ to, dlt }: OutboundMessage): DltIds | null => (to.startsWith(INDIA) && dlt ? dlt : null);
