import { defineTexts } from "../define-texts";

const en = {
  skipToContent: "Skip to content",
  openNavigation: "Open navigation",
  closeNavigation: "Close navigation",
  loading: "Loading",
  theme: "Theme",
  schemes: { light: "Light", dark: "Dark", auto: "Match system" },
  compactTables: "Compact tables",
  exactTimes: "Exact times",
  offline: "You are offline. Pages and dialogs open again once you are connected.",
};

/** The texts of the frame around pages: header, navigation, theme. */
export const frameTexts = defineTexts({ en });
