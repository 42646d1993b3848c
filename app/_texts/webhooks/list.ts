import { defineTexts } from "../define-texts";

const en = {
  title: "Webhooks",
  description: "Every status change of a message is posted to your endpoints, signed and with retries.",
  addEndpoint: "Add endpoint",
  endpoints: "Webhook endpoints",
  noEndpointsYet: "No endpoints yet",
  whyAdd: "Add a URL of your own server to be notified when messages are sent, are delivered or fail.",
  columns: {
    endpoint: "Endpoint",
    events: "Events",
    state: "State",
    consecutiveFailures: "Consecutive failures",
    lastSuccess: "Last success",
    lastFailure: "Last failure",
    actions: "Actions",
  },
  never: "Never",
  enable: "Enable",
  enableEndpoint: (url: string) => `Enable ${url}`,
  resume: "Resume",
  resumeEndpoint: (url: string) => `Resume ${url}`,
  deleteEndpoint: (url: string) => `Delete ${url}`,
  create: {
    title: "Add a webhook endpoint",
    created: "Endpoint created",
    secretOnce: "It is shown only once. Your server needs it to verify that events come from this service.",
    signature:
      "Each request carries Service-Signature: t=<unix time>,v1=<hex>, where v1 is the HMAC-SHA-256 of “t.body” under this secret.",
    howToVerify: "How to verify it",
    form: "New endpoint",
    notCreated: "The endpoint was not created",
    submit: "Create endpoint",
  },
};

/** The texts of the list of webhook endpoints, and of the dialog that creates one. */
export const webhooksTexts = defineTexts({ en });
