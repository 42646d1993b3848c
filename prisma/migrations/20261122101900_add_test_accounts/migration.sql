-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "test_of" TEXT;

-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "is_test" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE UNIQUE INDEX "accounts_test_of_key" ON "accounts"("test_of");

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_test_of_fkey" FOREIGN KEY ("test_of") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Code tells a twin by its id, so the id and the column must agree.
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_test_of_id_check" CHECK (
  CASE WHEN "test_of" IS NULL THEN "id" NOT LIKE 'tac\_%' ELSE "id" = 'tac_' || substr("test_of", 5) END
);
