-- CreateTable: with room, so that an update of the present hour writes no index entry.
CREATE TABLE "traffic_hours" (
    "account_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "country" TEXT NOT NULL,
    "messages" INTEGER NOT NULL,

    CONSTRAINT "traffic_hours_pkey" PRIMARY KEY ("account_id","hour","country")
) WITH (fillfactor = 70);

-- CreateIndex
CREATE INDEX "traffic_hours_hour_idx" ON "traffic_hours"("hour");

-- AlterTable: accounts without a row of settings have the same threshold (server/alerts/schema.ts).
ALTER TABLE "alert_settings" ADD COLUMN     "unusual_traffic_from" INTEGER DEFAULT 100;
