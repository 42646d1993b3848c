-- The entries of a digest, and those that no digest covers yet. In a migration of its own, because the index is built before its script
-- runs, and needs the column.
CREATE INDEX IF NOT EXISTS "audit_entries_digest_number_id_idx" ON "audit_entries"("digest_number", "id");
