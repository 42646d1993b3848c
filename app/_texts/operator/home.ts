import type { JobName } from "@/server/core/jobs";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { defineTexts, plural } from "../define-texts";

/** The fault to show, by the readiness check that fails. */
const checks: Record<string, string> = {
  database: "The database does not respond",
  migrations: "Migrations are missing, or newer than this version",
  queue: "Jobs have been waiting for too long",
  workers: "No worker is alive",
};

const providersInTrouble: Partial<Record<OperatedProvider["state"], (provider: string) => string>> = {
  open: (provider) => `${provider} is failing: its circuit breaker is open`,
  probing: (provider) => `${provider} was failing and is being tried again`,
  misconfigured: (provider) => `${provider} is misconfigured`,
};

const taskNames: Record<JobName, string> = {
  dispatch_messages: "Dispatch messages to providers",
  apply_receipts: "Read delivery receipts",
  join_receipts: "Match receipts that arrived early",
  apply_inbound: "Read replies and opt-outs",
  request_password_reset: "Send password reset links",
  review_sender: "Approve senders automatically",
  deliver_events: "Deliver events to webhook endpoints",
  deliver_webhooks: "Deliver events again",
  recover_deliveries: "Continue long recoveries of events",
  post_alert: "Post alerts to alert URLs",
  send_mail: "Send emails",
  sweep_messages: "Recover and time out messages",
  sweep_webhooks: "Recover lost deliveries",
  sweep_alerts: "Look for problems to alert on",
  check_ledger: "Check the ledger",
  fold_list_totals: "Update list totals",
  digest_audit: "Protect the audit log by digests",
  mark_lists: "Index deep pages of lists",
  forget_idempotency_keys: "Delete old idempotency keys",
  forget_callbacks: "Delete old callbacks",
  forget_sign_ins: "Delete ended sessions, invitations and links",
  forget_audit: "Delete old audit entries",
  forget_requests: "Delete old entries of the request log",
  forget_mails: "Delete old emails",
  forget_alerts: "Delete old alerts",
  forget_old_data: "Delete expired data",
};

const en = {
  title: "Installation",
  description: "System health, and what needs your attention.",
  tasks: {
    none: "Everything works, and nothing is waiting for you",
    title: "Needs your attention",
    checks,
    openReadiness: "Readiness",
    providersInTrouble,
    openProvider: "Open provider",
    providersUnknown: "The state of the providers is not known: it could not be loaded",
    nothingConfigured: "No message can be sent: no active route has a configured provider",
    openProviders: "Open providers",
    messagesWait: (prefixes: readonly string[], more: number) => {
      const places = prefixes.map((prefix) => (prefix === "" ? "All destinations" : `+${prefix}…`)).join(", ");
      const rest = more > 0 ? ` and ${more} more` : "";
      const routes = prefixes.length === 1 ? `the route ${places}` : `the routes ${places}${rest}`;
      return `Messages wait: every provider of ${routes} is drained or failing`;
    },
    openRoutes: "Open routes",
    jobsGivenUp: (count: number, shown: string) =>
      plural(count, { one: `${shown} job has failed on every try`, other: `${shown} jobs have failed on every try` }),
    sendersWait: (count: number, shown: string) =>
      plural(count, {
        one: `${shown} sender is waiting for your decision`,
        other: `${shown} senders are waiting for your decision`,
      }),
    review: "Review",
    unusualTraffic: (account: string, place: string) => `${account} sends unusually many messages to ${place}`,
    unknownCountry: "numbers of no known country",
    openAccount: "Open account",
  },
  figures: {
    calls: "Provider calls",
    lastHour: "Last 60 minutes",
    notAccepted: "Not accepted",
    ofKnownOutcome: "Of calls with a known outcome",
    jobsDue: "Jobs due",
    throttled: (count: number, shown: string) =>
      plural(count, { one: `${shown} message throttled`, other: `${shown} messages throttled` }),
    suspendedAccounts: "Suspended accounts",
    allAccounts: "All accounts",
  },
  workers: {
    title: "Workers",
    worker: "Worker",
    started: "Started",
    heartbeat: "Heartbeat",
    alive: "Alive",
    silentFor: (seconds: number) => `Silent for ${seconds} s`,
    none: "No worker heartbeat in the last ten minutes",
    messagesWait: "Messages are accepted, and wait until one is started.",
  },
  queues: {
    title: "Queues",
    task: "Task",
    /** The identifier itself for a task that this release does not know. */
    nameOf: (task: string): string => Object.entries(taskNames).find(([known]) => known === task)?.[1] ?? task,
    due: "Due",
    running: "Running",
    later: "Later",
    givenUp: "Given up",
    waitingFor: "Waiting for",
    seconds: (seconds: number) => `${seconds} s`,
    none: "No jobs: everything is done.",
  },
  providers: {
    title: "Providers, last hour",
    all: "All providers",
    provider: "Provider",
    state: "State",
    calls: "Calls",
    notAccepted: "Not accepted",
    meanLatency: "Mean latency",
    none: "No provider is configured.",
  },
};

/** The texts of the operator's home page. */
export const operatorHomeTexts = defineTexts({ en });
