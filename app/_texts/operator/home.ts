import type { OperatedProvider } from "@/server/providers/operator-schema";
import { defineTexts, plural } from "../define-texts";

/** The fault to show, by the readiness check that fails. */
const checks: Record<string, string> = {
  database: "The database does not respond",
  migrations: "Migrations are missing, or newer than this version",
  queue: "Jobs wait for too long",
  workers: "No worker is alive",
};

const providersInTrouble: Partial<Record<OperatedProvider["state"], (provider: string) => string>> = {
  open: (provider) => `${provider} is failing: its circuit is open`,
  probing: (provider) => `${provider} was failing and is being tried again`,
  misconfigured: (provider) => `${provider} is misconfigured`,
};

const en = {
  title: "Installation",
  description: "Whether messages flow, and what waits for you.",
  tasks: {
    none: "Everything works, and nothing waits for you",
    title: "Needs your attention",
    checks,
    openReadiness: "Readiness",
    providersInTrouble,
    openProvider: "Open provider",
    jobsGivenUp: (count: number, shown: string) =>
      plural(count, { one: `${shown} job has failed on every try`, other: `${shown} jobs have failed on every try` }),
    sendersWait: (count: number, shown: string) =>
      plural(count, {
        one: `${shown} sender waits for your decision`,
        other: `${shown} senders wait for your decision`,
      }),
    review: "Review",
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
    none: "No worker was heard of in ten minutes",
    messagesWait: "Messages are accepted, and wait until one is started.",
  },
  queues: {
    title: "Queues",
    task: "Task",
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
