-- CreateTable
CREATE TABLE "sweep_rounds" (
    "name" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "message_id" TEXT NOT NULL,
    "jobs" INTEGER NOT NULL,

    CONSTRAINT "sweep_rounds_pkey" PRIMARY KEY ("name")
);

-- A million messages may be due at the same moment: a round goes on behind one of them. The version before uses this index in
-- the same way as the one that it replaces.
-- DropIndex
DROP INDEX "pending_messages_created_at_idx";

-- CreateIndex
CREATE INDEX "pending_messages_created_at_message_id_idx" ON "pending_messages"("created_at", "message_id");
