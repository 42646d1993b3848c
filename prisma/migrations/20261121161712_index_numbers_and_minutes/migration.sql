-- CreateIndex
CREATE INDEX "provider_minutes_minute_idx" ON "provider_minutes"("minute");

-- CreateIndex
CREATE INDEX "suppressions_number_idx" ON "suppressions"("number" text_pattern_ops);
