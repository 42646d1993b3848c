-- What the schema language cannot say.

-- An account may make requests in proportion to its most generous key. Revoked keys are kept, and may be many.
CREATE INDEX "api_keys_working" ON "api_keys" ("account_id", "rate_limit") WHERE "revoked_at" IS NULL;
