/** The guides: what the site, llms.txt and the document's text list. */

/**
 * In reading order. `slug` names the file in docs/ and the path under /docs; `summary` says what the guide answers;
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
    summary: "Inbound messages: the list, the event message.received, and STOP and START.",
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
    summary: "Events, retries, recovery, and verification of signatures in five languages.",
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
    slug: "providers",
    label: "Providers (operators)",
    readers: "operators",
    summary: "The settings of each upstream provider, its receipts and how its callbacks are authenticated.",
  },
] as const;
