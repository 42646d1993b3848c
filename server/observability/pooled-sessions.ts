/** Detects whether connections to an address have their own sessions, or share them through a pooler. */
import type pg from "pg";
import { SessionClient } from "../core/database/session";

const CONNECT_TIMEOUT_MS = 4_500;

/**
 * A busy pooler may give two connections different servers for a while; each try is another chance to detect sharing.
 */
export const LOOKS = 5;

/** Runs `work` with a function that opens connections, and closes these afterwards. */
export async function withConnections<Result>(
  config: pg.ClientConfig,
  work: (open: () => Promise<pg.Client>) => Promise<Result>,
): Promise<Result> {
  const opened: pg.Client[] = [];
  try {
    return await work(async () => {
      const client = new SessionClient({
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        query_timeout: 5_000,
        ...config,
      });
      // Failures of the connection also appear as failures of its statements.
      client.on("error", () => undefined);
      opened.push(client);
      await client.connect();
      return client;
    });
  } finally {
    for (const client of opened) void client.end().catch(() => undefined);
  }
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid ?? 0;
}

/** Whether a pooler is in between: it invents the process number that PostgreSQL reports to a client. */
export async function isPooled(client: pg.Client): Promise<boolean> {
  const { processID } = client as unknown as { processID: number | null };
  return processID !== (await backendOf(client));
}

/**
 * Whether a connection shares its session with others, as behind a pooler that lends a server for one transaction at a time.
 * Locks of such a session outlive the connection, and it gets no notifications.
 * @param open opens another connection to the same address.
 */
export async function sharesSessions(client: pg.Client, open: () => Promise<pg.Client>): Promise<boolean> {
  if (!(await isPooled(client))) return false;
  const other = await open();
  const own = await backendOf(client);
  for (let look = 0; look < LOOKS; look += 1) {
    if ((await backendOf(other)) === own || (await backendOf(client)) !== own) return true;
  }
  return false;
}

/** The line that refuses an address that should bypass any pooler. @param isNamed whether DATABASE_DIRECT_URL is set. */
export const notDirectLine = (isNamed: boolean, fault = "its sessions do not last"): string =>
  isNamed
    ? `DATABASE_DIRECT_URL leads through a pooler (${fault}): it must lead straight to PostgreSQL.`
    : `DATABASE_URL leads through a pooler (${fault}): set DATABASE_DIRECT_URL to the address of PostgreSQL itself.`;
