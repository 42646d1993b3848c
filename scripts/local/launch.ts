/** Starts the whole service on this machine, shows how to use it, and stops it again. */
import path from "node:path";
import { migrate } from "@/prisma/migrate";
import { publicUrl } from "@/server/core/env";
import { shutDown } from "@/server/core/process";
import { ensureClient } from "../build";
import { isAlive } from "../is-alive";
import { say, step, stopCommands } from "../progress.mjs";
import { card } from "./card";
import { takeLock } from "./lock";
import { openDatabase } from "./open-database";
import { makeServices, type Services } from "./services";
import { applyLocalSettings, type Credentials, dataFolder, readCredentials, writeCredentials } from "./settings";

const LOOK_AT_DATABASE_EVERY_MS = 2_000;

export type Plan = {
  mode: "production" | "development";
  /** Prepares the processes' files, once the database and its client exist. */
  prepare: () => Promise<void>;
  /** Arguments of `node` for each process. */
  commands: { web: string[]; worker: string[] };
  /** Called once everything runs. */
  onRunning?: (services: Services) => void;
};

/** State of a launch, for the code that ends it. */
type Course = {
  signal: AbortSignal;
  /** Stop functions, in the order of the starts. */
  stops: Array<() => Promise<void> | void>;
  /** Settles before anything is stopped: until then something may still be starting. */
  work: Promise<unknown>[];
  fail: (message: string) => void;
};

/** Address of the web process on this machine; `HOST` may stand for all addresses. */
function localUrl(): string {
  const host = process.env.HOST || "127.0.0.1";
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${process.env.PORT || 3_000}`;
}

async function seed(dataDir: string): Promise<Credentials> {
  const { seedOnce } = await import("@/prisma/seed");
  const seeded = await seedOnce(readCredentials(dataDir)).finally(shutDown);
  const credentials = { url: publicUrl(), email: seeded.email, password: seeded.password, apiKey: seeded.apiKey };
  writeCredentials(dataDir, credentials);
  return credentials;
}

async function bringUp(plan: Plan, { signal, stops, work, fail }: Course): Promise<void> {
  const dataDir = dataFolder();
  // Before the settings, which make the secret key of a new folder.
  const lock = takeLock(dataDir, process.env.PUBLIC_URL || localUrl());
  stops.push(lock.release);
  applyLocalSettings(dataDir, plan.mode);

  const database = step("Starting the database", async () => {
    const { url, directUrl, server } = await openDatabase(dataDir);
    if (server) {
      stops.push(server.stop);
      const watch = setInterval(() => {
        if (!isAlive(server.pid)) fail(`PostgreSQL ended unexpectedly; see ${path.join(dataDir, "postgres.log")}`);
      }, LOOK_AT_DATABASE_EVERY_MS);
      stops.push(() => clearInterval(watch));
    }
    await migrate(directUrl);
    process.env.DATABASE_URL = url;
    lock.publish(url);
  });
  const client = ensureClient();
  const prepared = client.then(plan.prepare);
  const seeded = Promise.all([database, client]).then(() => seed(dataDir));
  // Reported at once, not only after the build.
  seeded.catch((thrown: Error) => fail(thrown.message));
  work.push(database, client, prepared, seeded);
  await Promise.all([database, prepared]);
  signal.throwIfAborted();

  // Code under development may fail: the failure is printed, and the next change restarts the process.
  const services = makeServices(plan.commands, dataDir, localUrl(), plan.mode === "development" ? say : fail);
  stops.push(services.stop);
  const [credentials] = await Promise.all([seeded, step("Starting the web process and the worker", services.start)]);
  signal.throwIfAborted();
  plan.onRunning?.(services);
  process.stdout.write(card(credentials, dataDir));
}

/** Runs the service until it is interrupted (exit code 0) or a part of it fails (exit code 1). */
export async function launch(plan: Plan): Promise<never> {
  const end = new AbortController();
  let failure: string | null = null;
  const fail = (message: string) => {
    if (end.signal.aborted) return;
    failure = message;
    end.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => end.abort());
  end.signal.addEventListener("abort", () => void stopCommands());

  const course: Course = { signal: end.signal, stops: [], work: [], fail };
  const ended = new Promise<void>((resolve) => end.signal.addEventListener("abort", () => resolve()));
  const running = bringUp(plan, course).catch((thrown: unknown) =>
    fail(thrown instanceof Error ? thrown.message : String(thrown)),
  );
  await ended;
  if (course.stops.length > 0) say(failure ? "Something failed; stopping …" : "Stopping …");
  // A process that is still starting cannot be stopped yet.
  await Promise.allSettled(course.work);
  for (const stop of course.stops.splice(0).reverse()) await stop();
  await running;
  if (failure) process.stderr.write(`\n${failure}\n`);
  else say("Stopped; the data is kept.");
  process.exit(failure ? 1 : 0);
}
