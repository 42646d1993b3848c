import { defineConfig } from "vitest/config";

const alias = { "@": import.meta.dirname };

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "rules",
          include: ["{server,worker,prisma,scripts,app,sdk,e2e/support,e2e/prove}/**/*.test.ts"],
          exclude: ["**/*.db.test.ts", "**/node_modules/**"],
          testTimeout: 60_000,
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
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
