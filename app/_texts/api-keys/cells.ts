import { defineTexts } from "../define-texts";

const en = {
  requestsPerMinute: (count: string) => `${count} requests per minute`,
  messagesPerDay: (count: string) => `${count} messages per day`,
  messagesPerMonth: (count: string) => `${count} messages per month`,
  onlyFrom: (addresses: string) => `only from ${addresses}`,
  allPermissions: "All permissions",
  active: "Active",
  expired: "Expired",
  revoked: "Revoked",
};

/** The texts of an API key in a list. */
export const apiKeyCellsTexts = defineTexts({ en });
