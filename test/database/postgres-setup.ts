import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { migrate } from "@/prisma/migrate";
import { createDatabase, startPostgres } from "@/scripts/postgres";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of the server's maintenance database. */
    adminUrl: string;
    /** Name of the migrated database that test databases are copied from. */
    templateName: string;
  }
}

/** Starts one server for all database tests. fsync is off: its data does not outlive the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), "messaging-test-"));
  // Programs before version 16 look up the path of their own folder, and their user must be able to pass through this one.
  await chmod(folder, 0o711);
  const server = await startPostgres(path.join(folder, "data"), { fsync: "off", max_connections: "300" });
  const templateName = "template_service";
  await migrate(await createDatabase(server, templateName));
  project.provide("adminUrl", server.url("postgres"));
  project.provide("templateName", templateName);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
