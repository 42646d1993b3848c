-- CreateTable
CREATE TABLE "rescheduled_messages" (
    "message_id" TEXT NOT NULL,
    "first_scheduled_at" TIMESTAMPTZ(3) NOT NULL,
    "rescheduled_at" TIMESTAMPTZ(3) NOT NULL,
    "times" INTEGER NOT NULL,

    CONSTRAINT "rescheduled_messages_pkey" PRIMARY KEY ("message_id")
);
