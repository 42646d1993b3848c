import type { InboundMessage } from "@/server/inbound/schema";
import { defineTexts } from "./define-texts";

const en = {
  opt_out: "Opted out",
  opt_in: "Opted in again",
} satisfies Record<NonNullable<InboundMessage["action"]>, string>;

/** The texts of the effects of an inbound message. */
export const inboundEffectsTexts = defineTexts({ en });
