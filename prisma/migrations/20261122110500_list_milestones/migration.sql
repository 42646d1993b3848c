-- CreateTable
CREATE TABLE "list_milestones" (
    "account_id" TEXT NOT NULL,
    "place" BIGINT NOT NULL,
    "message_id" TEXT NOT NULL,

    CONSTRAINT "list_milestones_pkey" PRIMARY KEY ("account_id","place")
);
