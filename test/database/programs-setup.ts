import path from "node:path";
import type { TestProject } from "vitest/node";
import { bundlePrograms } from "@/scripts/build";

/** Programs that database tests start as processes, by the names of their bundles. */
const SOURCES = { migrate: "prisma/migrate.ts", web: "server/main.ts", worker: "worker/index.ts" };
const FOLDER = path.resolve("dist", "tests");
const bundleOf = (name: keyof typeof SOURCES) => path.join(FOLDER, `${name}.mjs`);

declare module "vitest" {
  interface ProvidedContext {
    /** Paths of the programs' bundles. */
    programs: Record<keyof typeof SOURCES, string>;
  }
}

/** Bundles the programs once for all database tests: compiling the sources took each process one to two seconds. */
export async function setup(project: TestProject): Promise<void> {
  await bundlePrograms(SOURCES, FOLDER);
  project.provide("programs", { migrate: bundleOf("migrate"), web: bundleOf("web"), worker: bundleOf("worker") });
}
