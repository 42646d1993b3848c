import { defineTexts } from "../define-texts";

const en = {
  title: "Alerts",
  description:
    "A low balance, unusual traffic to a country, and webhook endpoints that fail or are disabled: one alert when it begins and one when it is over.",
  settings: {
    title: "Alerts and delivery",
    form: "Alerts",
    notSaved: "Alerts were not saved",
    /** @param currency ISO 4217 code, empty while it is not known. */
    lowBalance: (currency: string) => (currency === "" ? "Low balance" : `Low balance in ${currency}`),
    lowBalanceHint: "Alert when the balance falls below this. Leave empty for no alert.",
    unusualTraffic: "Unusual traffic, messages per hour",
    unusualTrafficHint:
      "Alert when at least this many messages go to one country within an hour, and five times as many as in its busiest hour of the week before. Leave empty for no alert.",
    byMail: "Email to every owner",
    noMail: "This installation sends no emails: its operator has set no mail server.",
    url: "Alert URL",
    urlHint: "Receives each alert as a signed POST, like a webhook. Leave empty for none.",
    submit: "Save alerts",
    saved: "Alerts are saved",
  },
  secret: {
    label: "Signing secret",
    copy: "Copy the secret now",
    use: "Alerts to this URL are signed with it, as webhooks are. It is shown this once.",
    lost: "The signing secret was lost on the way",
    makeAnother: "The alerts are saved, but the secret is not shown again. Make a new one.",
    make: "Make a new secret",
    question: "Make a new signing secret?",
    consequence: "Alerts are signed with it at once. The former one is no longer used.",
    notMade: "No new secret was made",
    unknown: "It is unknown whether there is a new secret",
    again: "Make another one: only the newest is used.",
  },
  past: {
    title: "Past alerts",
    state: "State",
    raised: "Raised",
    cleared: "Cleared",
    alert: "Alert",
    when: "When",
    limitCountries: "Limit countries",
    none: "No alerts",
    noneHint: "Nothing went wrong in the last 90 days.",
  },
};

/** The texts of the page of alerts. */
export const alertsTexts = defineTexts({ en });
