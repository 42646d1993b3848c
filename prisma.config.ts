import { defineConfig } from "prisma/config";

// `prisma generate` downloads a native engine that it never uses unless this names an existing file.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: "prisma/schema",
  migrations: { path: "prisma/migrations" },
  // `generate` needs no database; `prisma migrate` (optional, see prisma/migrate.ts) reads the same setting as the service.
  datasource: { url: process.env.DATABASE_URL ?? "postgresql://unset" },
});
