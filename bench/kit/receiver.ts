/** A customer's webhook endpoint in this process, and the wait until all messages are final. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import type { Stage } from "./workload";

const POLL_MS = 200;
const STUCK_AFTER_MS = 120_000;

/** @param statusOf the status of the response to the request number `nth`, from 1. @returns the address. */
export async function openReceiver(stage: Stage, statusOf: (nth: number) => number = () => 200): Promise<string> {
  let received = 0;
  const server = http.createServer((request, response) => {
    received += 1;
    request.resume();
    response.writeHead(statusOf(received)).end();
  });
  await stage.keep(
    () => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)),
    async () => {
      server.close();
      server.closeAllConnections();
    },
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Waits until no message is under way, by the counters. @throws Error when some still are after two minutes. */
export async function waitUntilSettled(database: Client, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + STUCK_AFTER_MS;
  for (;;) {
    const { rows } = await database.query<{ left: number }>(
      "SELECT coalesce(sum(pending + sent), 0)::int AS left FROM usage_days",
    );
    if (rows[0]?.left === 0) return;
    if (Date.now() > deadline) throw new Error(`${rows[0]?.left} messages are still under way.`);
    await pause(POLL_MS, undefined, { signal });
  }
}
