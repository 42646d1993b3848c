-- Nonces are kept for 25 hours or 31 days, by provider. In the order of time alone, to forget the former is to read all of the
-- latter. Processes of the version before forget them more slowly, for the minutes of an update.
-- DropIndex
DROP INDEX "receipt_nonces_seen_at_idx";

-- CreateIndex
CREATE INDEX "receipt_nonces_provider_seen_at_idx" ON "receipt_nonces"("provider", "seen_at");
