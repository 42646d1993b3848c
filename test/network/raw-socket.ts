/** Requests written to a socket byte by byte, which no HTTP client would send. */
import net from "node:net";
import { expect } from "@playwright/test";

/** After the bytes: wait for the response, half-close, or disconnect at once. */
export type Then = "wait" | "end" | "vanish";

const ANSWER_WITHIN_MS = 10_000;

/** Sends the bytes on their own connection. @returns everything received until the service closed it. */
export function exchange(service: { url: string }, bytes: string | Buffer, then: Then = "wait"): Promise<string> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(Number(port), hostname, () => {
      if (then === "end") socket.end(bytes);
      else socket.write(bytes, () => then === "vanish" && socket.resetAndDestroy());
    });
    socket.setTimeout(ANSWER_WITHIN_MS, () => {
      socket.destroy();
      reject(new Error(`The connection stays open. So far: ${Buffer.concat(chunks)}`));
    });
    socket.on("data", (chunk) => chunks.push(chunk));
    // The service may close while we still write; its earlier response counts.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}

/** The statuses of all responses received, in order. */
export const statusesIn = (answered: string): number[] =>
  [...answered.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

type RawResponse = { status: number; headers: Headers; body: string };

/** Each response received. Of interim ones (100) only the status matters. */
export function responsesIn(answered: string): RawResponse[] {
  return answered
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(Boolean)
    .map((response) => {
      const [head = "", body = ""] = response.split(/\r\n\r\n(.*)/s);
      const [line = "", ...fields] = head.split("\r\n");
      const headers = new Headers(fields.map((field): [string, string] => splitAt(field, field.indexOf(":"))));
      return { status: Number(line.split(" ")[1]), headers, body };
    });
}

const splitAt = (text: string, at: number): [string, string] => [text.slice(0, at), text.slice(at + 1).trim()];

/** The JSON of the only response received. */
export const jsonIn = (answered: string): unknown => JSON.parse(answered.slice(answered.indexOf("\r\n\r\n") + 4));

/** Checks that a refusal of any layer has a body with the contract's error. */
export function expectErrors(answered: string, name: string): void {
  for (const { status, headers, body } of responsesIn(answered).filter((response) => response.status >= 300)) {
    expect(Object.fromEntries(headers), name).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "content-length": String(Buffer.byteLength(body)),
    });
    expect(JSON.parse(body), name).toEqual({
      success: false,
      error: {
        type: "invalid_request_error",
        code: status === 404 ? "not_found" : "invalid_request",
        message: expect.stringMatching(/\.$/),
        param: null,
        details: { reason: expect.any(String) },
      },
      meta: { request_id: expect.stringMatching(/^req_/), api_version: "v1" },
    });
  }
}
