import { defineConfig } from "vitest/config";

const alias = { "@": import.meta.dirname };
/** What is waited for comes late on a slow machine, which is no failure. */
const patient = { poll: { timeout: 30_000 } };

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "rules",
          include: ["{server,worker,prisma,scripts,app,sdk,e2e/support,e2e/prove}/**/*.test.ts"],
          exclude: ["**/*.db.test.ts", "**/node_modules/**"],
          expect: patient,
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        resolve: { alias },
        test: {
          // Against a real PostgreSQL: every file gets a database of its own, copied from a migrated template.
          name: "database",
          include: ["{server,worker,prisma}/**/*.db.test.ts"],
          globalSetup: ["e2e/support/postgres-setup.ts"],
          setupFiles: ["e2e/support/database-setup.ts"],
          pool: "forks",
          expect: patient,
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
