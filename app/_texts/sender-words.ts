import type { Sender } from "@/server/senders/schema";
import { defineTexts } from "./define-texts";

const statuses = {
  pending: "Pending",
  approved: "Approved",
  rejected: "Rejected",
  suspended: "Suspended",
} satisfies Record<Sender["status"], string>;

const types = {
  alphanumeric: "Alphanumeric",
  numeric: "Numeric",
  short_code: "Short code",
  long_code: "Long code",
} satisfies Record<Sender["type"], string>;

/** The statuses of senders. */
export const senderStatusTexts = defineTexts({ en: statuses });

/** The types of senders. */
export const senderTypeTexts = defineTexts({ en: types });
