import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { openConnection } from "./connection";

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

/** The server name that a TLS call to `host` sends; null: none. The centre has no certificate, so the call ends then. */
async function askedFor(host: string): Promise<string | null> {
  let asked: string | null = null;
  const server = createServer({
    SNICallback: (name, proceed) => {
      asked = name;
      proceed(null);
    },
  });
  server.on("tlsClientError", () => undefined);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const { over } = openConnection({ host, port, isSecure: true }, () => undefined);
  await new Promise((resolve) => over.addEventListener("abort", resolve, { once: true }));
  return asked;
}

describe("a connection over TLS", () => {
  it("sends the name of the centre, so that one address can serve several", async () => {
    expect(await askedFor("localhost")).toBe("localhost");
  });

  it("sends no name for an IP address", async () => {
    expect(await askedFor("127.0.0.1")).toBeNull();
  });
});
