-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "previous_secret_sealed" TEXT,
ADD COLUMN     "previous_secret_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "round" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "webhook_tries" DROP CONSTRAINT "webhook_tries_pkey",
ADD COLUMN     "round" SMALLINT NOT NULL DEFAULT 0,
ADD CONSTRAINT "webhook_tries_pkey" PRIMARY KEY ("delivery_id", "round", "attempt");

-- What the schema language cannot say.

-- What the sweep looks for: deliveries that are due, and secrets that have ceased to sign.
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" ("next_attempt_at") WHERE "status" = 'pending';
CREATE INDEX "webhook_endpoints_rotated" ON "webhook_endpoints" ("previous_secret_until")
  WHERE "previous_secret_until" IS NOT NULL;
-- What a recovery looks for.
CREATE INDEX "webhook_deliveries_recoverable" ON "webhook_deliveries" ("endpoint_id", "created_at", "id")
  WHERE "status" IN ('held', 'abandoned');
