import { defineTexts } from "../define-texts";

const en = {
  title: "Alerts",
  description:
    "A low balance, and webhook endpoints that fail or are disabled: one alert when it begins and one when it is over.",
  settings: {
    title: "Alerts and delivery",
    form: "Alerts",
    notSaved: "Alerts were not saved",
    lowBalance: "Low balance",
    lowBalanceHint: "Alert when the balance falls below this. Leave empty for no alert.",
    byMail: "Email to every owner",
    noMail: "This installation sends no emails: its operator has set no mail server.",
    url: "Alert URL",
    urlHint: "Receives each alert as a signed POST, like a webhook. Leave empty for none.",
    submit: "Save alerts",
    saved: "Alerts are saved",
    copySecret: "Copy the secret now",
    secretUse: "Alerts to this URL are signed with it, as webhooks are. It is shown this once.",
    secret: "Signing secret",
    lostSecret: "The signing secret was lost on the way",
    newSecret:
      "The alerts are saved, but the secret is not shown again. For a new one, save without the URL, and then with it.",
  },
  past: {
    title: "Past alerts",
    state: "State",
    raised: "Raised",
    cleared: "Cleared",
    alert: "Alert",
    when: "When",
    none: "No alerts",
    noneHint: "Nothing went wrong in the last 90 days.",
  },
};

/** The texts of the page of alerts. */
export const alertsTexts = defineTexts({ en });
