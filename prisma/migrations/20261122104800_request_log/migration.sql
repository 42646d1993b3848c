-- CreateTable
CREATE TABLE "request_log" (
    "slot" SMALLINT NOT NULL,
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "status" SMALLINT NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "operation" TEXT,
    "resource_id" TEXT,
    "request_body" TEXT,
    "response_body" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_log_pkey" PRIMARY KEY ("account_id","id","slot")
) PARTITION BY LIST ("slot");

-- A ring of days: eight are shown, one is empty for tomorrow, and one is emptied. The schema language has no partitions.
CREATE TABLE "request_log_0" PARTITION OF "request_log" FOR VALUES IN (0);
CREATE TABLE "request_log_1" PARTITION OF "request_log" FOR VALUES IN (1);
CREATE TABLE "request_log_2" PARTITION OF "request_log" FOR VALUES IN (2);
CREATE TABLE "request_log_3" PARTITION OF "request_log" FOR VALUES IN (3);
CREATE TABLE "request_log_4" PARTITION OF "request_log" FOR VALUES IN (4);
CREATE TABLE "request_log_5" PARTITION OF "request_log" FOR VALUES IN (5);
CREATE TABLE "request_log_6" PARTITION OF "request_log" FOR VALUES IN (6);
CREATE TABLE "request_log_7" PARTITION OF "request_log" FOR VALUES IN (7);
CREATE TABLE "request_log_8" PARTITION OF "request_log" FOR VALUES IN (8);
CREATE TABLE "request_log_9" PARTITION OF "request_log" FOR VALUES IN (9);
