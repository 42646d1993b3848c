import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { shutDown } from "@/server/core/process";

/** Runs statements on the server's maintenance database. */
async function onServer(connectionString: string, ...statements: string[]): Promise<void> {
  const admin = new pg.Client({ connectionString });
  await admin.connect();
  try {
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
}

const name = `test_${randomBytes(6).toString("hex")}`;

/** Gives the test file its own database and points the service's settings at it. */
beforeAll(async () => {
  // PostgreSQL makes one copy of a template at a time. Copying files takes half the time of copying blocks through the log.
  await onServer(
    inject("adminUrl"),
    "SELECT pg_advisory_lock(1)",
    `CREATE DATABASE ${name} TEMPLATE ${inject("templateName")} STRATEGY FILE_COPY`,
  );
  const url = new URL(inject("adminUrl"));
  url.pathname = `/${name}`;
  Object.assign(process.env, {
    DATABASE_URL: url.href,
    SECRET_KEY: randomBytes(32).toString("hex"),
    SANDBOX: "true",
    SIGN_UP_OPEN: "true",
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8,::1/128",
    LOG_LEVEL: "silent",
  });
});

afterAll(async () => {
  await shutDown();
  // Autovacuum may be running in it, and only a superuser can end that.
  await onServer(inject("superuserUrl"), `DROP DATABASE ${name} WITH (FORCE)`);
});
