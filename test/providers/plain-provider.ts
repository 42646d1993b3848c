/** A provider of one POST, for tests of the HTTP client. */
import { vi } from "vitest";
import { z } from "zod";
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

/** Sets what the HTTP client needs of the environment, with this time-out in milliseconds. */
export function stubClientEnv(timeoutMs: number): void {
  vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
  vi.stubEnv("SECRET_KEY", "0".repeat(32));
  vi.stubEnv("LOG_LEVEL", "silent");
  vi.stubEnv("PROVIDER_TIMEOUT_MS", String(timeoutMs));
}
