/** Numbers of the sandbox by what happens to a message to them, as in docs/scenario-numbers.md. */
export const SCENARIO_NUMBERS = [
  { number: "+15550100001", provider: "delivers at once", ends: "delivered" },
  { number: "+15550100002", provider: "delivers after 5 s", ends: "delivered, late" },
  { number: "+15550100003", provider: "refuses permanently", ends: "failed, refunded" },
  {
    number: "+15550100004",
    provider: "responds with 503",
    ends: "next provider of the chain; without one failed, refunded",
  },
  {
    number: "+15550100005",
    provider: "does not respond for 10 s",
    ends: "next provider; without one pending for 15 minutes, then failed, refunded",
  },
  { number: "+15550100006", provider: "sends the receipt before its response", ends: "delivered" },
  { number: "+15550100007", provider: "sends receipts twice and out of order", ends: "delivered, once" },
  { number: "+15550100008", provider: "never sends a receipt", ends: "sent; undelivered after 72 h" },
  { number: "+15550100009", provider: "accepts it, then cannot reach the handset", ends: "undelivered" },
  { number: "any other", provider: "delivers after about a second", ends: "delivered" },
] as const;
