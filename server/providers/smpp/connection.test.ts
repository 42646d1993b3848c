import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { openConnection } from "./connection";

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

/** The name that a centre over TLS at `host` is asked for; null: for none. It has no certificate, so the call ends then. */
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
  it("asks for the centre by name, so that one address may serve several", async () => {
    expect(await askedFor("localhost")).toBe("localhost");
  });

  it("asks for no name at an address, which is none", async () => {
    expect(await askedFor("127.0.0.1")).toBeNull();
  });
});
