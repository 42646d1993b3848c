import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { shutDown } from "@/server/core/process";

/** Gives the test file its own database and points the service's settings at it. */
beforeAll(async () => {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: inject("adminUrl") });
  await admin.connect();
  try {
    // PostgreSQL copies a template once at a time.
    await admin.query("SELECT pg_advisory_lock(1)");
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${inject("templateName")}`);
  } finally {
    await admin.end();
  }
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

afterAll(shutDown);
