import { defineTexts } from "../define-texts";

const en = {
  allPermissions: "All permissions",
  active: "Active",
  expired: "Expired",
  revoked: "Revoked",
};

/** The texts of an API key in a list. */
export const apiKeyCellsTexts = defineTexts({ en });
