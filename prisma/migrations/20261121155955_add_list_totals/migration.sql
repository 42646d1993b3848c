-- CreateTable
CREATE TABLE "list_totals" (
    "id" BIGSERIAL NOT NULL,
    "list" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "change" INTEGER NOT NULL,

    CONSTRAINT "list_totals_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "list_totals_list_owner_id_kind_idx" ON "list_totals"("list", "owner_id", "kind");

-- What is there already.
INSERT INTO "list_totals" ("list", "owner_id", "kind", "change")
SELECT 'deliveries', "endpoint_id", "status", count(*) FROM "webhook_deliveries" GROUP BY "endpoint_id", "status";
INSERT INTO "list_totals" ("list", "owner_id", "kind", "change")
SELECT 'suppressions', "account_id", "sender_id", count(*) FROM "suppressions" GROUP BY "account_id", "sender_id";
