-- Few parts have such an id. A migration of its own, because the index is built before its script, while parts are written.
CREATE INDEX IF NOT EXISTS "attempt_parts_shared_id" ON "attempt_parts" ("provider", "shared_id") WHERE "shared_id" IS NOT NULL;
