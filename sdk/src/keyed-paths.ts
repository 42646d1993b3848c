// Made of openapi.json by `npm run openapi`; do not edit.

/** Paths whose POST takes an Idempotency-Key. */
export const KEYED_PATHS: ReadonlySet<string> = new Set([
  "/messages/send",
  "/messages/bulk",
  "/senders/create",
  "/suppressions",
  "/api-keys/create",
  "/webhooks/create",
  "/webhooks/{id}/rotate-secret",
]);
