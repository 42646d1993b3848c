-- What the schema language cannot say.

-- Every event reads the endpoints of its account. Deleted ones are kept for their deliveries, and may be many.
CREATE INDEX "webhook_endpoints_kept" ON "webhook_endpoints" ("account_id", "id") WHERE "deleted_at" IS NULL;
