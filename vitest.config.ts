import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const alias = { "@": import.meta.dirname };
/** Time limits of waits: on a slow machine results come late, which is no failure. */
const patient = { poll: { timeout: 60_000 } };

export default defineConfig({
  test: {
    // Left to itself Vitest keeps a core free: on two cores one file would run at a time, and wait for its database most
    // of it. The limit is for the connections that the server has.
    maxWorkers: Math.min(availableParallelism() + 1, 8),
    projects: [
      {
        resolve: { alias },
        test: {
          name: "rules",
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
          include: ["{server,worker,prisma,scripts}/**/*.db.test.ts"],
          globalSetup: ["test/database/postgres-setup.ts"],
          isolate: false,
          sequence: { setupFiles: "list" },
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
