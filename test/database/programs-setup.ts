import path from "node:path";
import type { TestProject } from "vitest/node";
import { bundlePrograms } from "@/scripts/build";

/** Programs that database tests run as processes, by their names. */
const PROGRAMS = { migrate: "prisma/migrate.ts", web: "server/main.ts", worker: "worker/index.ts" };

declare module "vitest" {
  interface ProvidedContext {
    /** Paths of the programs' bundles. */
    programs: Record<keyof typeof PROGRAMS, string>;
  }
}

/** Bundles the programs once for all database tests: translating the sources took each process one to two seconds. */
export async function setup(project: TestProject): Promise<void> {
  const folder = path.resolve("dist", "tests");
  await bundlePrograms(PROGRAMS, folder);
  const programOf = (name: string) => path.join(folder, `${name}.mjs`);
  project.provide("programs", {
    migrate: programOf("migrate"),
    web: programOf("web"),
    worker: programOf("worker"),
  });
}
