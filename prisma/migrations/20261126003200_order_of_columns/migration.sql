-- An update writes to the log what lies between the first and the last byte that it changes. So the columns that change stand last, in
-- the order in which they change (docs/decisions/0049-shape-of-rows.md). Columns can only be added at the end, so a table with
-- messages in it stays as it is, and so does one that others have granted rights to or made views of: the order means nothing to a
-- statement, which names its columns.
DO $$
BEGIN
  LOCK TABLE "messages" IN ACCESS EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM "messages") OR (SELECT relacl IS NOT NULL FROM pg_class WHERE oid = '"messages"'::regclass) THEN
    RETURN;
  END IF;
  DROP TABLE "messages";
  CREATE TABLE "messages" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "api_key_id" TEXT,
    "to_number" TEXT NOT NULL,
    "from_sender" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "encoding" TEXT NOT NULL,
    "segments" SMALLINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "chain" TEXT[],
    "reference" TEXT,
    "metadata" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "scheduled_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "cost_micros" BIGINT NOT NULL,
    "route_id" INTEGER,
    "validity_s" INTEGER,
    "provider" TEXT,
    "provider_message_id" TEXT,
    "sent_at" TIMESTAMPTZ(3),
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "status" TEXT NOT NULL,
    "delivered_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "error_code" TEXT,
    "error_message" TEXT,
    CONSTRAINT "messages_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "messages_status_known" CHECK ("status" IN ('pending', 'sent', 'delivered', 'failed', 'undelivered'))
  );
  CREATE INDEX "messages_account_id_id_idx" ON "messages" ("account_id", "id");
  CREATE INDEX "messages_account_id_to_number_id_idx" ON "messages" ("account_id", "to_number", "id");
  CREATE INDEX "messages_account_id_from_sender_id_idx" ON "messages" ("account_id", "from_sender", "id");
  CREATE INDEX "messages_account_id_api_key_id_id_idx" ON "messages" ("account_id", "api_key_id", "id");
  CREATE INDEX "messages_reference" ON "messages" ("account_id", "reference", "id") WHERE "reference" IS NOT NULL;
  CREATE TRIGGER "messages_inserted" AFTER INSERT ON "messages" REFERENCING NEW TABLE AS entering
    FOR EACH STATEMENT EXECUTE FUNCTION enter_status_lists();
  CREATE TRIGGER "messages_deleted" AFTER DELETE ON "messages" REFERENCING OLD TABLE AS leaving
    FOR EACH STATEMENT EXECUTE FUNCTION leave_status_lists();
  CREATE TRIGGER "messages_updated_from" AFTER UPDATE ON "messages" REFERENCING OLD TABLE AS leaving
    FOR EACH STATEMENT EXECUTE FUNCTION leave_status_lists();
  CREATE TRIGGER "messages_updated_to" AFTER UPDATE ON "messages" REFERENCING NEW TABLE AS entering
    FOR EACH STATEMENT EXECUTE FUNCTION enter_status_lists();
EXCEPTION WHEN dependent_objects_still_exist THEN
  NULL;
END $$;

-- Room for both updates of rows that are a little shorter.
ALTER TABLE "messages" SET (fillfactor = 40);
