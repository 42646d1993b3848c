import { rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "@/prisma/migrate";
import { createDatabase, startPostgres } from "@/scripts/postgres/server";
import { certify } from "../network/server-certificate";
import { makeServerFolder } from "./servers/server-folder";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of the server's maintenance database, for a user that may create databases and has no other privilege. */
    adminUrl: string;
    /** The same for the superuser. */
    superuserUrl: string;
    /** File of the server's certificate, which is its own authority. */
    certificate: string;
    /** Name of the migrated database that test databases are copied from. */
    templateName: string;
  }
}

const urlOf = (server: string, name: string): string => Object.assign(new URL(server), { pathname: `/${name}` }).href;

/**
 * Creates the user of the tests. It owns what it creates, like the user of an installation, and is not a superuser, which hosted
 * servers do not grant.
 */
async function createOwner(superuserUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  await client.query("CREATE ROLE owner LOGIN CREATEDB PASSWORD 'owner'").finally(() => client.end());
  return Object.assign(new URL(superuserUrl), { username: "owner", password: "owner" }).href;
}

/** Starts one server for all database tests. Its data need not survive a crash, because they do not outlive the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeServerFolder("messaging-test-");
  const { settings, certificate } = await certify(folder);
  const server = await startPostgres(path.join(folder, "data"), {
    ...settings,
    fsync: "off",
    full_page_writes: "off",
    max_connections: "300",
    wal_keep_size: "256MB",
    // A server may have defaults for other programs; the service sets its own values on each connection.
    timezone: "Asia/Kathmandu",
    datestyle: "SQL, DMY",
    intervalstyle: "sql_standard",
    bytea_output: "escape",
    default_transaction_isolation: "serializable",
    synchronous_commit: "off",
    idle_session_timeout: "1h",
  });
  const templateName = "template_service";
  const superuserUrl = server.url("postgres");
  const adminUrl = await createOwner(superuserUrl);
  const template = await createDatabase({ ...server, url: (name) => urlOf(adminUrl, name) }, templateName);
  await migrate(template);
  project.provide("superuserUrl", superuserUrl);
  project.provide("adminUrl", adminUrl);
  project.provide("certificate", certificate);
  project.provide("templateName", templateName);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
