/** The guides, which the site, llms.txt and the document's text list. */

/**
 * In reading order. `slug` names the file in docs/ and the path under /docs; `summary` says what the guide is about;
 * `readers`: callers of the API, or operators of an installation.
 */
export const GUIDES = [
  {
    slug: "quick-start",
    label: "Quick start",
    readers: "callers",
    summary: "From nothing to a delivered message and a first webhook, with curl, Node and Python.",
  },
  {
    slug: "authentication",
    label: "Authentication",
    readers: "callers",
    summary: "API keys: permissions, limits, allowed addresses, rotation.",
  },
  {
    slug: "test-mode",
    label: "Test mode",
    readers: "callers",
    summary: "Test keys, play money and scenario numbers: how to build without sending or paying.",
  },
  {
    slug: "team",
    label: "Teams",
    readers: "callers",
    summary: "Members of an account, their roles, and invitations.",
  },
  {
    slug: "sending",
    label: "Sending and segments",
    readers: "callers",
    summary: "Recipients, senders, segments and encodings, bulk sends, estimates, the statuses of a message.",
  },
  {
    slug: "receiving",
    label: "Receiving messages",
    readers: "callers",
    summary: "Messages that people send to your numbers: the list, the webhook event, STOP and START.",
  },
  {
    slug: "pagination",
    label: "Lists and pages",
    readers: "callers",
    summary: "The two ways through a list: cursors, which repeat and lose nothing, and pages by number.",
  },
  {
    slug: "errors",
    label: "Errors",
    readers: "callers",
    summary: "Every status, code and reason of a refusal, every code of a failed message, and which to retry.",
  },
  {
    slug: "webhooks",
    label: "Webhooks",
    readers: "callers",
    summary: "Events, retries, recovery, and verification of signatures in seven languages.",
  },
  {
    slug: "limits",
    label: "Limits",
    readers: "callers",
    summary: "Rate limits, quotas and sizes, with the headers that report them.",
  },
  {
    slug: "idempotency",
    label: "Idempotency",
    readers: "callers",
    summary: "How to repeat a request so that it is carried out once.",
  },
  {
    slug: "scenario-numbers",
    label: "Scenario numbers",
    readers: "callers",
    summary: "Numbers of the sandbox that simulate refusals, delays, lost receipts and timeouts.",
  },
  {
    slug: "versioning",
    label: "Versioning",
    readers: "callers",
    summary: "Additions without notice, the parts that are stable, and how deprecations are announced.",
  },
  {
    slug: "from-twilio",
    label: "From Twilio",
    readers: "callers",
    summary: "Fields, statuses, error codes, callbacks and signatures of Twilio's API, and what they are here.",
  },
  {
    slug: "from-vonage",
    label: "From Vonage",
    readers: "callers",
    summary: "Fields, statuses, error codes, callbacks and signatures of Vonage's APIs, and what they are here.",
  },
  {
    slug: "from-messagebird",
    label: "From MessageBird",
    readers: "callers",
    summary: "Fields, statuses, error codes, callbacks and signatures of MessageBird's APIs, and what they are here.",
  },
  {
    slug: "providers",
    label: "Providers (operators)",
    readers: "operators",
    summary: "The settings of each upstream provider, its receipts and how its callbacks are authenticated.",
  },
] as const;
