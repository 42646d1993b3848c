-- A plan for one database of many machines: each table's place on a Citus cluster, with the account as the distribution key, so
-- that everything of an account is on one machine. NOT READY, and never run on Citus: a distributed table needs its account in
-- every unique key, and the lines "blocked" say where it is not yet. docs/scaling.md explains the way there.
-- A database test compares this file with the schema, and the statements of a send's way with its tables.

-- Of an account: on its shard.
SELECT create_distributed_table('accounts', 'id');
SELECT create_distributed_table('ledger_entries', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('ledger_closings', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('usage_days', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('traffic_hours', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('due_spending', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('due_spending_days', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('idempotency_keys', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('list_milestones', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('forgotten_days', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('request_log', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('alert_settings', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('senders', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('suppressions', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('messages', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('message_metadata', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('pending_messages', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('sent_messages', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('failed_messages', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('inbound_messages', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('events', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('webhook_endpoints', 'account_id', colocate_with => 'accounts');
SELECT create_distributed_table('webhook_deliveries', 'account_id', colocate_with => 'accounts');

-- blocked accounts: (test_of)
-- blocked inbound_messages: (id)
-- blocked ledger_entries: (id)
-- blocked ledger_entries: (message_id, kind)
-- blocked messages: (id)
-- blocked senders: (id)
-- blocked suppressions: (id)
-- blocked webhook_deliveries: (id)
-- blocked webhook_endpoints: (id)

-- Of an account, and without its column yet: they need one before they can be distributed.
-- unkeyed message_attempts: found by the message
-- unkeyed rescheduled_messages: found by the message
-- unkeyed attempt_parts: found by the provider's id, before the account is known
-- unkeyed receipts: found by the provider's id, before the account is known
-- unkeyed webhook_tries: found by the delivery
-- unkeyed api_key_minutes: found by the key
-- unkeyed api_key_quotas: found by the key
-- unkeyed list_totals: found by the list's owner, which may be an endpoint

-- Read by every shard and rarely written: a copy on each machine.
SELECT create_reference_table('providers');
SELECT create_reference_table('routes');

-- Of no account, or found before it is known: on the coordinator, as the job queue (graphile_worker) is.
-- local users: signed in by email, and a member of several accounts
-- local account_members: of users
-- local invitations: found by the token
-- local sessions: of users
-- local second_factors: of users
-- local recovery_codes: of users
-- local passkeys: of users
-- local passkey_challenges: of sessions, or of browsers that sign in
-- local password_resets: of users
-- local sign_in_limits: by email and address
-- local sign_in_throttles: by email and address
-- local api_keys: found by the key's hash
-- local audit_entries: of operators as well
-- local audit_digests: of the installation
-- local alerts: of operators as well
-- local alert_states: of providers as well
-- local mails: of operators as well
-- local waiting_messages: a queue in the order of all accounts
-- local pace_buckets: of providers and senders
-- local provider_tokens: of providers
-- local provider_minutes: of providers
-- local receipt_nonces: of providers
-- local ledger_chapters: of the whole ledger
-- local retention_rounds: of the installation
-- local sweep_rounds: of the installation
-- local workers: of the installation
