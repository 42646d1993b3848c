import { defineTexts } from "./define-texts";

const en = {
  description: "Send SMS messages, follow their delivery and see what they cost.",
};

/** The site's description for search engines and browsers. */
export const siteTexts = defineTexts({ en });
