-- While a table was never analysed, the planner takes it for ten pages at least, and statements look up its rows by key. Statistics of some sixty rows say
-- that reading all of them costs less; plans of that kind then stayed while the table grew to tens of thousands, until autovacuum came again, a minute later.
-- With two hundred rows that is over. So young tables are left alone.
ALTER TABLE "messages" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "message_attempts" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "attempt_parts" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "receipts" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "events" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "webhook_deliveries" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "webhook_tries" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "ledger_entries" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "idempotency_keys" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "inbound_messages" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "message_metadata" SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
