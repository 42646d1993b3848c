/** Connections of migrations. */
import pg from "pg";
import { beginSession, SessionClient } from "../server/core/database/session";

/**
 * Sends the settings of a migration's connection. Limits that the database or its user has for short statements, as many hosts set them, do
 * not apply: a script ends when it has done its work, and on a large table that takes longer.
 */
export async function beginMigration(client: Pick<pg.ClientBase, "query">): Promise<void> {
  await beginSession(client);
  await client.query("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0");
}

/** A pool of such connections. @param lockTimeoutMs after which a statement that waits for a lock fails; 0: never. */
export function poolOfMigration(connectionString: string, lockTimeoutMs: number): pg.Pool {
  const connections = new pg.Pool({
    connectionString,
    Client: SessionClient,
    max: 2,
    ...(lockTimeoutMs > 0 && { lock_timeout: lockTimeoutMs }),
    onConnect: beginMigration,
  });
  // The statement under way, or else the next one, fails when its connection is lost.
  connections.on("error", () => undefined);
  connections.on("connect", (client) => client.on("error", () => undefined));
  return connections;
}
