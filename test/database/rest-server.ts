import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { handleRestNode } from "@/server/api/node-door";

/**
 * Serves the REST API on loopback for the tests of this file.
 * @returns the base URL, `http://127.0.0.1:<port>/api/v1`, once the tests run.
 */
export function restServerOfFile(): () => string {
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => void handleRestNode(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}
