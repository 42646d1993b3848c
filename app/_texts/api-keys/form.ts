import { defineTexts } from "../define-texts";

const en = {
  enterName: "Enter a name",
  choosePermission: "Choose at least one permission",
  newKey: "New API key",
  key: "API key",
  notCreated: "The key was not created",
  notChanged: "The key was not changed",
  name: { label: "Name", description: "The program that uses it, such as “Shop, production”" },
  permissions: "Permissions",
  limits: {
    title: "Limits",
    requestsPerMinute: "Requests per minute",
    messagesPerDay: "Messages per day",
    messagesPerMonth: "Messages per month",
    defaultLimit: "Default",
    enterRequests: "Enter a number of requests",
    noLimit: "No limit",
    timeZone: "Days and months are counted in UTC.",
  },
  restrictions: "Restrictions",
  addresses: {
    label: "Allowed IP addresses",
    description: "IPv4 addresses or CIDR ranges",
    any: "Any address",
  },
  expiry: {
    label: "Expiry date",
    enterDate: "Enter a date",
    description: "The key works through the end of this day. Leave it empty for one that never expires.",
  },
  submit: "Create key",
};

/** The texts of the form for an API key. */
export const apiKeyFormTexts = defineTexts({ en });
