/**
 * The metrics of a process. Counters and histograms are updated where things happen, mostly once per batch; gauges are read
 * when somebody scrapes (server/observability). docs/operations.md lists them all. Names follow Prometheus: base units, and
 * `_total` for counters. Labels have few values: never an account, a number or an id.
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { defineProcessValue } from "./process";

const FAST_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SLOW_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];
const ITEMS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

function makeMetrics() {
  const registry = new Registry();
  const common = { registers: [registry] };
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ ...common, name, help, labelNames });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ ...common, name, help, labelNames });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ ...common, name, help, buckets, labelNames });
  return {
    registry,
    httpRequests: histogram(
      "messaging_http_request_duration_seconds",
      "Requests of the API and callbacks of providers, by operation and class of status",
      FAST_S,
      ...(["operation", "status"] as const),
    ),
    accepted: counter(
      "messaging_messages_accepted_total",
      "Messages that were accepted, also those that failed at once",
    ),
    moves: counter(
      "messaging_message_moves_total",
      "Moves of messages to a later status; after a lost connection one may count twice",
      "status",
    ),
    acceptToSent: histogram(
      "messaging_accept_to_sent_seconds",
      "From the acceptance of a message until a provider had taken it",
      SLOW_S,
    ),
    attempts: counter(
      "messaging_attempts_total",
      "Attempts that ended, by provider and outcome (accepted, refused, retryable, unknown)",
      ...(["provider", "outcome"] as const),
    ),
    providerCalls: histogram(
      "messaging_provider_call_duration_seconds",
      "Calls of providers, with the wait for a connection",
      SLOW_S,
      "provider",
    ),
    inFlight: gauge("messaging_attempts_in_flight", "Attempts that this process has claimed and not finished"),
    webhookTries: histogram(
      "messaging_webhook_try_duration_seconds",
      "Tries of webhooks, by outcome (delivered, refused: a status other than 2xx, failed: no response)",
      FAST_S,
      "outcome",
    ),
    egressFailures: counter(
      "messaging_egress_failures_total",
      "Connections that an egress proxy did not make, by use (providers, webhooks) and reason (its status, unreachable, broken, silent)",
      ...(["use", "reason"] as const),
    ),
    batchItems: histogram("messaging_batch_items", "Calls that shared one transaction, by batcher", ITEMS, "batch"),
    batchRefused: counter(
      "messaging_batch_refused_total",
      "Calls that a full batcher refused at once with 503 overloaded",
      "batch",
    ),
    insertedInVain: counter(
      "messaging_acceptance_inserted_in_vain_total",
      "Large batches of sends that were inserted, decided otherwise under the locks, and accepted in a second transaction",
    ),
    requestLogDropped: counter(
      "messaging_request_log_dropped_total",
      "Requests that are missing from the request log, because too many waited or the database failed",
    ),
    shed: counter(
      "messaging_http_requests_shed_total",
      "Requests refused at once with 503 overloaded, because others wait",
    ),
    jobs: histogram(
      "messaging_job_duration_seconds",
      "Runs of jobs, by task and outcome (done, failed, skipped: another run was under way)",
      SLOW_S,
      ...(["task", "outcome"] as const),
    ),
    poolWaits: histogram(
      "messaging_db_pool_wait_seconds",
      "Waits for a database connection that was then got, by pool (main, read)",
      FAST_S,
      "pool",
    ),
    poolConnections: gauge(
      "messaging_db_pool_connections",
      "Database connections (busy, idle), and callers that wait for one (waiting), by pool",
      ...(["pool", "state"] as const),
    ),
    ledgerDrifted: gauge(
      "messaging_ledger_drifted_accounts",
      "Accounts that did not match their ledger when this process last compared them",
    ),
    ledgerCheckedAt: gauge(
      "messaging_ledger_check_timestamp_seconds",
      "When this process last compared accounts and ledger, in seconds since 1970",
    ),
    queueJobs: gauge(
      "messaging_queue_jobs",
      "Jobs by task and state (due, running, later, given_up); from one worker only",
      ...(["task", "state"] as const),
    ),
    queueLag: gauge(
      "messaging_queue_lag_seconds",
      "For how long the oldest due job of a task has waited; from one worker only",
      "task",
    ),
    throttleQueue: gauge(
      "messaging_throttle_queue_messages",
      "Messages that wait for a throughput limit, a slot or an available provider; from one worker only",
    ),
    deadRows: gauge(
      "messaging_database_dead_rows",
      "Dead versions of rows in the queues and the lists by status, which autovacuum is to remove; from one worker only",
    ),
    workers: gauge("messaging_workers_alive", "Workers with a recent heartbeat; from one worker only"),
    breaker: gauge(
      "messaging_provider_breaker_state",
      "Circuit breaker by provider: 0 closed, 1 half-open, 2 open; from one worker only",
      "provider",
    ),
    drained: gauge(
      "messaging_provider_drained",
      "1 while an operator drains the provider; from one worker only",
      "provider",
    ),
    forgotten: counter(
      "messaging_rows_forgotten_total",
      "Rows, or texts of messages (bodies), that were forgotten, by kind",
      "kind",
    ),
    gaugesFailed: counter("messaging_scrape_failures_total", "Scrapes that could not read the database"),
    pagesUp: gauge("messaging_pages_up", "1 while the pages process of this web process serves", "process"),
    build: gauge("messaging_build_info", "1, with the version of the service", "version", "process"),
  };
}

/** The metrics of this process, with the registry that holds them. */
export const metrics = defineProcessValue("metrics", makeMetrics);
