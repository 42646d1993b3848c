/** The database of `npm start`, `npm run dev` and the end-to-end tests. */
import path from "node:path";
import { refuseOther } from "@/prisma/migrate";
import { createDatabase, type RunningPostgres, startPostgres } from "../postgres/server";
import { say } from "../progress.mjs";

/** `directUrl`: the address for migrations, whose locks a pooler would not release. */
type OpenDatabase = { url: string; directUrl: string; server: RunningPostgres | null };

/**
 * The database of this start: the one that DATABASE_URL names, else an embedded server with its data in `dataDir`.
 * @throws Error when DATABASE_DIRECT_URL names another database.
 */
export async function openDatabase(dataDir: string): Promise<OpenDatabase> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL } = process.env;
  if (url) {
    await refuseOther();
    return { url, directUrl: DATABASE_DIRECT_URL || url, server: null };
  }
  if (DATABASE_DIRECT_URL) throw new Error("DATABASE_DIRECT_URL is set, and DATABASE_URL is not: set both, or none.");
  const server = await startPostgres(path.join(dataDir, "postgres"));
  if (server.copy) {
    say(
      `The project is closed to the user "postgres": PostgreSQL runs from ${server.copy}, its data stay in ${dataDir}`,
    );
  }
  const own = await createDatabase(server, "messaging");
  return { url: own, directUrl: own, server };
}
