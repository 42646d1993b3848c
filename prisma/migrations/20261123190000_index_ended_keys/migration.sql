-- What the schema language cannot say.

-- A key ends when it is revoked or expires, whichever comes first; null: it never does. Lists show the last that ended, and
-- creations count those that work, however many have ended.
CREATE INDEX "api_keys_ended" ON "api_keys" ("account_id", LEAST("revoked_at", "expires_at"));
