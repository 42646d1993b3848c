-- CreateTable
CREATE TABLE "sign_in_limits" (
    "subject" TEXT NOT NULL,
    "busy_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_limits_pkey" PRIMARY KEY ("subject")
);

-- CreateIndex
CREATE INDEX "sign_in_limits_busy_until_idx" ON "sign_in_limits"("busy_until");
