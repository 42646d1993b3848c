-- CreateIndex
CREATE INDEX "inbound_messages_account_id_from_number_id_idx" ON "inbound_messages"("account_id", "from_number", "id");

-- CreateIndex
CREATE INDEX "inbound_messages_account_id_to_number_id_idx" ON "inbound_messages"("account_id", "to_number", "id");

-- What the schema language cannot say.

-- Numbers that can be dialled are stored in E.164 form from now on, whatever the provider's notation.
UPDATE "inbound_messages" SET "to_number" = '+' || "to_number" WHERE "to_number" ~ '^[1-9][0-9]{6,14}$';

-- Messages that were stored by versions before this one have no event.
INSERT INTO "list_totals" ("list", "owner_id", "kind", "change")
SELECT 'inbound', "account_id", 'without_event', count(*) FROM "inbound_messages" WHERE "account_id" <> '' GROUP BY "account_id";
