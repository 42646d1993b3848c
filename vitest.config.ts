import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files at a time: left to itself Vitest keeps a core free. The limit is for the connections that the database server has. */
const filesAtOnce = (moreThanCores: number) => Math.min(availableParallelism() + moreThanCores, 8);

const alias = { "@": import.meta.dirname };
/** Time limits of waits: on a slow machine results come late, which is no failure. */
const patient = { poll: { timeout: 60_000 } };

/** Files that take by far the longest. Begun last, each would run alone at the end. */
const LONGEST = ["interleavings.db.test.ts", "migrate.db.test.ts", "lease.db.test.ts", "smpp/load.test.ts"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./scripts/reports/vitest-reporter.ts"],
    projects: [
      {
        resolve: { alias },
        test: {
          name: "rules",
          maxWorkers: filesAtOnce(1),
          include: ["{server,worker,prisma,scripts,app,sdk,test,bench,e2e/prove}/**/*.test.ts"],
          exclude: ["**/*.db.test.ts", "**/node_modules/**"],
          isolate: false,
          setupFiles: ["test/fresh-modules.ts"],
          expect: patient,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        resolve: { alias },
        test: {
          // Against a real PostgreSQL: every file gets a database of its own, copied from a migrated template.
          name: "database",
          // Some of these mostly wait, for a lease to end or a time-out.
          maxWorkers: filesAtOnce(3),
          include: ["{server,worker,prisma,scripts,test}/**/*.db.test.ts"],
          globalSetup: ["test/database/postgres-setup.ts", "test/database/programs-setup.ts"],
          isolate: false,
          sequence: { setupFiles: "list", groupOrder: 1 },
          setupFiles: ["test/fresh-modules.ts", "test/database/database-setup.ts"],
          pool: "forks",
          expect: patient,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
