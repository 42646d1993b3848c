-- Suppressions of one sender ID in the order of their list: without it the account's whole list was read to find a few. The condition keeps look-ups by
-- account and id, and those of a number, in their own indexes.
CREATE INDEX IF NOT EXISTS "suppressions_of_sender" ON "suppressions" ("account_id", "sender_id", "id") WHERE "sender_id" <> '';

-- Counts of days that are over, which are deleted after 40 days: each step of that read the whole table.
CREATE INDEX IF NOT EXISTS "api_key_quotas_of_days" ON "api_key_quotas" (right("period", 10)) WHERE "period" ~ '^(day|failed):';

-- An account's audit entries of one action. Without it all entries of the account were read, or all of the action. The condition holds for every statement
-- that compares the action, and for no other (docs/decisions/0045-statements-look-up-keys.md).
CREATE INDEX IF NOT EXISTS "audit_entries_of_action" ON "audit_entries" ("account_id", "action", "id") WHERE "action" IS NOT NULL;

-- What an operator searches the audit log for: who acted, and what was acted on. Without them a search read the whole log.
CREATE INDEX IF NOT EXISTS "audit_entries_of_actor" ON "audit_entries" ("actor_id", "id") WHERE "actor_id" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "audit_entries_of_subject" ON "audit_entries" ("subject_id", "id") WHERE "subject_id" IS NOT NULL;
