import { defineTexts } from "../define-texts";

const en = {
  form: "Limits",
  allowedCountries: "Allowed countries",
  emptyForAll: "Leave empty to allow all countries",
  allCountries: "All countries",
  allowAllCountries: "Allow all countries",
  identicalTexts: "Identical texts per number",
  messages: "Messages per number",
  perHour: "Per hour. 0 for no limit. Leave empty for the default.",
  dailyCapIn: (currency: string) => `Daily spending cap in ${currency}`,
  perDay: "Per UTC day. Leave empty for no cap.",
  notSaved: "The limits were not saved",
  submit: "Save limits",
  saved: (account: string) => `Limits of ${account} saved`,
};

/** The texts of the form with the limits of an account. */
export const limitsFormTexts = defineTexts({ en });
