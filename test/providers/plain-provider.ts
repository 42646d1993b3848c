/** A provider that makes one POST, for tests of the HTTP client. */
import type { AddressInfo, Server, Socket } from "node:net";
import { onTestFinished, vi } from "vitest";
import { z } from "zod";
import { httpAdapter } from "@/server/providers/http/client";
import type { HttpProvider, SendRequest } from "@/server/providers/port";

export const PLAIN_SEND: SendRequest = {
  message: { id: "msg_1", to: "+491511234567", from: "Shop", body: "hi", encoding: "GSM-7", segments: 1 },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/receipts",
};

export const plainProvider = (url: string, readResponse: HttpProvider["readResponse"]): HttpProvider => ({
  id: "twilio",
  settings: z.record(z.string(), z.unknown()),
  maxInFlight: 1,
  buildRequest: () => ({ method: "POST", url, headers: { "content-type": "text/plain" }, body: "hi" }),
  readResponse,
  authenticate: () => ({ kind: "genuine", nonces: [] }),
  readCallback: () => ({ reports: [], inbound: [] }),
  reasonOf: () => undefined,
});

/** Sets the environment that providers need in tests without a database. */
export function stubProviderEnv(): void {
  vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
  vi.stubEnv("SECRET_KEY", "0".repeat(32));
  vi.stubEnv("LOG_LEVEL", "silent");
}

/** Sets the environment that the HTTP client needs, with this timeout in milliseconds. */
export function stubClientEnv(timeoutMs: number): void {
  stubProviderEnv();
  vi.stubEnv("PROVIDER_TIMEOUT_MS", String(timeoutMs));
}

/** A provider that posts to a URL and expects `{"id": …}`. */
export const numberingProvider = (url: string) =>
  plainProvider(url, ({ body }) => {
    const { id } = z.object({ id: z.string() }).parse(JSON.parse(body));
    return { kind: "accepted", providerMessageIds: [id] };
  });

/** The outcome of a send to a URL, without the note about a stall of this process, which may happen on a busy machine. */
export async function sendPlain(url: string) {
  const adapter = httpAdapter(numberingProvider(url), {});
  const { isOurStall, ...outcome } = { isOurStall: false, ...(await adapter.send(PLAIN_SEND)) };
  return outcome;
}

/** Listens on loopback until the end of the test. @returns the port. */
export async function listenForTest(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
