-- AlterTable
ALTER TABLE "senders" ADD COLUMN     "dlt_entity_id" TEXT,
ADD COLUMN     "dlt_template_category" TEXT,
ADD COLUMN     "dlt_template_id" TEXT;
