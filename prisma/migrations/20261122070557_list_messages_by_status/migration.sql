-- Messages by status, as tables that triggers keep like indexes. Processes of the version before keep them too, unknowingly.

-- CreateTable
CREATE TABLE "pending_messages" (
    "account_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_messages_pkey" PRIMARY KEY ("account_id","message_id")
);

-- CreateTable
CREATE TABLE "sent_messages" (
    "account_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "sent_messages_pkey" PRIMARY KEY ("account_id","message_id")
);

-- CreateTable
CREATE TABLE "failed_messages" (
    "account_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "failed_messages_pkey" PRIMARY KEY ("account_id","status","message_id")
);

-- CreateIndex
CREATE INDEX "pending_messages_created_at_idx" ON "pending_messages"("created_at");

-- What the schema language cannot say.

-- Rows come and go with every message: they are cleared away after some thousands, not after a share of the table.
ALTER TABLE "pending_messages" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05);
ALTER TABLE "sent_messages" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05);

CREATE FUNCTION "enter_status_lists"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO pending_messages (account_id, message_id, created_at)
    SELECT account_id, id, created_at FROM entering WHERE status = 'pending';
  INSERT INTO sent_messages (account_id, message_id, created_at, sent_at)
    SELECT account_id, id, created_at, sent_at FROM entering WHERE status = 'sent';
  INSERT INTO failed_messages (account_id, status, message_id, created_at)
    SELECT account_id, status, id, created_at FROM entering WHERE status IN ('failed', 'undelivered');
  RETURN NULL;
END $$;

-- One look into the primary key per row, whatever the statistics say: those of a table that was empty a moment ago would
-- have all of it read. The rows of a message change only while its own row is locked, so their places are safe to name.
CREATE FUNCTION "leave_status_lists"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  DELETE FROM pending_messages WHERE ctid = ANY (ARRAY(
    SELECT l.place FROM leaving m CROSS JOIN LATERAL (SELECT p.ctid AS place FROM pending_messages p
      WHERE p.account_id = m.account_id AND p.message_id = m.id OFFSET 0) l
    WHERE m.status = 'pending'));
  DELETE FROM sent_messages WHERE ctid = ANY (ARRAY(
    SELECT l.place FROM leaving m CROSS JOIN LATERAL (SELECT s.ctid AS place FROM sent_messages s
      WHERE s.account_id = m.account_id AND s.message_id = m.id OFFSET 0) l
    WHERE m.status = 'sent'));
  DELETE FROM failed_messages WHERE ctid = ANY (ARRAY(
    SELECT l.place FROM leaving m CROSS JOIN LATERAL (SELECT f.ctid AS place FROM failed_messages f
      WHERE f.account_id = m.account_id AND f.status = m.status AND f.message_id = m.id OFFSET 0) l
    WHERE m.status IN ('failed', 'undelivered')));
  RETURN NULL;
END $$;

-- Triggers of one event run in the order of their names.
CREATE TRIGGER "messages_inserted" AFTER INSERT ON "messages"
  REFERENCING NEW TABLE AS entering FOR EACH STATEMENT EXECUTE FUNCTION "enter_status_lists"();
CREATE TRIGGER "messages_deleted" AFTER DELETE ON "messages"
  REFERENCING OLD TABLE AS leaving FOR EACH STATEMENT EXECUTE FUNCTION "leave_status_lists"();
CREATE TRIGGER "messages_updated_from" AFTER UPDATE ON "messages"
  REFERENCING OLD TABLE AS leaving FOR EACH STATEMENT EXECUTE FUNCTION "leave_status_lists"();
CREATE TRIGGER "messages_updated_to" AFTER UPDATE ON "messages"
  REFERENCING NEW TABLE AS entering FOR EACH STATEMENT EXECUTE FUNCTION "enter_status_lists"();

-- Writes to messages wait from here to the end of this migration, so these are all of them. They are not final, so not many.
INSERT INTO "pending_messages" ("account_id", "message_id", "created_at")
  SELECT "account_id", "id", "created_at" FROM "messages" WHERE "status" = 'pending';
INSERT INTO "sent_messages" ("account_id", "message_id", "created_at", "sent_at")
  SELECT "account_id", "id", "created_at", "sent_at" FROM "messages" WHERE "status" = 'sent';
