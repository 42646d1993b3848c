-- What a pause has parked, in the order in which it is sent again. Without it a resumption read all that the endpoint had ever abandoned or parked, while
-- outcomes of its requests waited. The condition is written as one statement has it: no other index fits that, whatever the statistics
-- say. Its columns change only with the status, which other indexes contain already: no update becomes dearer, and a row that is
-- not parked gets no entry.
CREATE INDEX IF NOT EXISTS "webhook_deliveries_of_pause" ON "webhook_deliveries" ("endpoint_id", "held_at", "created_at", "id")
  WHERE "held_at" IS NOT NULL AND "status" || '' = 'held';
