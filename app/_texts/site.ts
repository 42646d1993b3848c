import { defineTexts } from "./define-texts";

const en = {
  description: "Send SMS messages, follow their delivery and see what they cost.",
};

/** What search engines and browsers are told of the site. */
export const siteTexts = defineTexts({ en });
