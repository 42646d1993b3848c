/** Tests of malformed responses: the message may have been sent, unless they prove otherwise. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createRawServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  listenForTest,
  numberingProvider,
  PLAIN_SEND,
  plainProvider,
  sendPlain,
  stubClientEnv,
} from "@/test/providers/plain-provider";
import { httpProvider } from "../catalogue";
import { httpAdapter } from "./client";

beforeAll(() => stubClientEnv(2_000));
afterAll(() => vi.unstubAllEnvs());

const answering = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listenForTest(createServer(listener))}`;

/** Responds to the first octets of each request with these. */
const writing = async (octets: string) =>
  `http://127.0.0.1:${await listenForTest(createRawServer((socket) => socket.once("data", () => socket.write(octets))))}`;

const TAKEN = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"id":"m1"}';

describe("a response that cannot be read to its end has an unknown outcome, and operators see why", () => {
  it.each([
    ["is not HTTP", "220 ready\r\n", "The response is not HTTP."],
    ["has a status below 100", "HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n", "The response is not HTTP."],
    [
      "has too large headers",
      `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`,
      "The headers of the response are too large.",
    ],
    ["has two lengths", TAKEN.replace("\r\n", "\r\ncontent-length: 12\r\n"), "The response is not as long as it says."],
    [
      "begins with an unasked 100",
      `HTTP/1.1 100 Continue\r\n\r\n${TAKEN}`,
      "The response began with 100 Continue, which was not asked for.",
    ],
    [
      "is an unasked 101",
      "HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
      "The response was 101 Switching Protocols, which was not asked for.",
    ],
  ])("when it %s", async (_title, octets, providerDetail) => {
    const detail = "The provider's response could not be read: the message may have been sent.";
    expect(await sendPlain(await writing(octets))).toEqual({
      kind: "unknown",
      code: "malformed_answer",
      detail,
      providerDetail,
    });
  });
});

it("a response that goes on and on in what is no body has an unknown outcome, before the time is over", async () => {
  const hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(10_000);
  const server = createRawServer((socket) => {
    const goOn = () => {
      while (socket.writable && socket.write(hints));
    };
    socket.on("drain", goOn).once("data", goOn);
  });
  const outcome = await sendPlain(`http://127.0.0.1:${await listenForTest(server)}`);
  expect(outcome).toMatchObject({ kind: "unknown", code: "malformed_answer" });
  expect(outcome).toHaveProperty("providerDetail", "More than 1 MiB was received for the response.");
});

describe("a response whose body is unreadable has an unknown outcome", () => {
  it.each([
    ["", "Its body is empty."],
    ["<html>", "Its body has 6 characters of text/html."],
    ['{"id":', "Its body has 6 characters of text/html."],
    ["{}", "Its body has 2 characters of text/html."],
  ])("%j", async (body, providerDetail) => {
    const url = await answering((_request, response) => response.setHeader("content-type", "text/html").end(body));
    const detail = "The provider's response, HTTP 200, could not be read: the message may have been sent.";
    expect(await sendPlain(url)).toEqual({ kind: "unknown", code: "malformed_answer", detail, providerDetail });
  });

  it("of thousands of values, which the adapter does not read one by one", async () => {
    let read = "";
    const values = Array.from({ length: 100_000 }, () => "{}").join();
    const url = await answering((_request, response) => response.end(`{"messages":[${values}]}`));
    const provider = plainProvider(url, ({ body }) => {
      read = body;
      return JSON.parse(body);
    });
    expect(await httpAdapter(provider, {}).send(PLAIN_SEND)).toMatchObject({
      kind: "unknown",
      code: "malformed_answer",
    });
    expect(read.match(/,/g)).toHaveLength(5_000);
  });

  it("and without a type", async () => {
    const url = await answering((_request, response) => response.end("ok"));
    expect(await sendPlain(url)).toMatchObject({ providerDetail: "Its body has 2 characters of no type." });
  });
});

describe("a readable response", () => {
  it("may follow interim ones", async () => {
    const interim = "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    expect(await sendPlain(await writing(interim + TAKEN))).toMatchObject({ kind: "accepted" });
  });

  it("may begin with a byte order mark", async () => {
    const url = await answering((_request, response) => response.end('\ufeff{"id":"m1"}'));
    expect(await sendPlain(url)).toEqual({ kind: "accepted", providerMessageIds: ["m1"] });
  });

  it("is asked for without an encoding, which would not be decoded", async () => {
    const url = await answering(({ headers }, response) =>
      response.end(JSON.stringify({ id: headers["accept-encoding"] })),
    );
    expect(await sendPlain(url)).toEqual({ kind: "accepted", providerMessageIds: ["identity"] });
  });
});

describe("a redirect", () => {
  /** The outcome that Twilio's adapter reads from a redirect to another host, and the requests that come there. */
  async function redirected(status: number) {
    const elsewhere: unknown[] = [];
    const other = await answering(({ headers }, response) => {
      elsewhere.push(headers);
      response.end();
    });
    const baseUrl = await answering((_request, response) => response.writeHead(status, { location: other }).end());
    const twilio = httpProvider("twilio") ?? numberingProvider(baseUrl);
    const settings = twilio.settings.parse({ accountSid: `AC${"0".repeat(32)}`, authToken: "secret", baseUrl });
    return { outcome: await httpAdapter(twilio, settings).send(PLAIN_SEND), elsewhere };
  }

  it.each([301, 302, 307, 308])(
    "%d is not followed: nothing was sent, and nothing goes to another host",
    async (status) => {
      const { outcome, elsewhere } = await redirected(status);
      const detail = `The provider responded with HTTP ${status}; redirects are not followed.`;
      expect(outcome).toMatchObject({ kind: "retryable", code: `http_${status}`, detail, fault: "provider" });
      expect(elsewhere).toEqual([]);
    },
  );

  it("303 refers to the result of a request that was carried out: the message may have been sent", async () => {
    const { outcome, elsewhere } = await redirected(303);
    const detail = "The provider responded with HTTP 303: the message may have been sent.";
    expect(outcome).toMatchObject({ kind: "unknown", code: "http_303", detail });
    expect(elsewhere).toEqual([]);
  });
});
