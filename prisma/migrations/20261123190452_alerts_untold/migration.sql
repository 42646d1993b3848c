-- AlterTable
ALTER TABLE "alerts" ADD COLUMN     "untold" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateIndex: every sweep asks for these, and there are hardly ever any.
CREATE INDEX "alerts_untold_idx" ON "alerts" ("kind", "state") WHERE "untold" <> '{}';
