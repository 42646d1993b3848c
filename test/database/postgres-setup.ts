import { rm } from "node:fs/promises";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { migrate } from "@/prisma/migrate";
import { createDatabase, startPostgres } from "@/scripts/postgres";
import { makeServerFolder } from "./server-folder";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of the server's maintenance database. */
    adminUrl: string;
    /** Name of the migrated database that test databases are copied from. */
    templateName: string;
  }
}

/** Starts one server for all database tests. It may not survive a crash of the machine: its data does not outlive the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeServerFolder("messaging-test-");
  const server = await startPostgres(path.join(folder, "data"), {
    fsync: "off",
    full_page_writes: "off",
    max_connections: "300",
    wal_keep_size: "256MB",
    // A server may be set up for other programs: the service has its own values on each connection.
    timezone: "Asia/Kathmandu",
    datestyle: "SQL, DMY",
    intervalstyle: "sql_standard",
    bytea_output: "escape",
    default_transaction_isolation: "serializable",
    synchronous_commit: "off",
    idle_session_timeout: "1h",
  });
  const templateName = "template_service";
  await migrate(await createDatabase(server, templateName));
  project.provide("adminUrl", server.url("postgres"));
  project.provide("templateName", templateName);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
