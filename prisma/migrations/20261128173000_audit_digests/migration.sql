-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "digest_number" BIGINT;

-- CreateTable
CREATE TABLE "audit_digests" (
    "number" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "entries" INTEGER NOT NULL,
    "entries_sha256" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_digests_pkey" PRIMARY KEY ("number")
);
