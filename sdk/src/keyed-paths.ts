// Made of openapi.json by `npm run openapi`; do not edit.

/** Paths whose POST takes an Idempotency-Key. */
export const KEYED_PATHS: ReadonlySet<string> = new Set([
  "/api-keys/create",
  "/messages/send",
  "/messages/bulk",
  "/senders/create",
  "/webhooks/create",
]);
