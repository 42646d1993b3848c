import { defineTexts } from "../define-texts";

const en = {
  label: "Settings",
  pages: {
    profile: "Profile",
    sending: "Sending",
    security: "Security",
    team: "Team",
    alerts: "Alerts",
    audit: "Audit log",
  },
};

/** The texts of the links between the pages of the settings. */
export const settingsTabsTexts = defineTexts({ en });
