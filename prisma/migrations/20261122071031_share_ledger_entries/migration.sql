-- AlterTable
ALTER TABLE "ledger_entries" ADD COLUMN     "message_ids" TEXT[],
ADD COLUMN     "message_micros" BIGINT[];

-- What the schema language cannot say.

-- Each listed message has its money, and an entry is of one form. NOT VALID: existing entries have no lists.
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_lists" CHECK (
  "message_ids" IS NULL AND "message_micros" IS NULL
  OR "message_id" IS NULL AND "kind" IN ('reserve', 'settle') AND cardinality("message_ids") = cardinality("message_micros")
) NOT VALID;

-- The ledger by message: what each entry says of each of its messages, in whichever form it was written.
CREATE VIEW "ledger_lines" AS
  SELECT id AS entry_id, account_id, kind, message_id, amount_micros, held_micros, created_at
  FROM "ledger_entries" WHERE message_id IS NOT NULL
  UNION ALL
  SELECT e.id, e.account_id, e.kind, l.message_id, CASE e.kind WHEN 'reserve' THEN -l.micros ELSE 0 END,
    CASE e.kind WHEN 'reserve' THEN l.micros ELSE -l.micros END, e.created_at
  FROM "ledger_entries" e CROSS JOIN LATERAL unnest(e.message_ids, e.message_micros) AS l (message_id, micros)
  WHERE e.message_ids IS NOT NULL;
