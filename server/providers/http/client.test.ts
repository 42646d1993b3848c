import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { selfSigned } from "@/test/network/certificate";
import { failLookUps, findAddresses } from "@/test/network/look-ups";
import {
  listenForTest,
  numberingProvider,
  PLAIN_SEND,
  sendPlain,
  stubClientEnv,
} from "@/test/providers/plain-provider";
import { httpAdapter } from "./client";

const TIMEOUT_MS = 2_000;

beforeAll(() => stubClientEnv(TIMEOUT_MS));
afterAll(() => vi.unstubAllEnvs());

const answering = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listenForTest(createHttpServer(listener))}/`;

/** Counts requests, and never responds. */
function counter() {
  let requests = 0;
  const count: RequestListener = () => {
    requests += 1;
  };
  return { count, requests: () => requests };
}

describe("a connection that was never established: nothing was sent, with the fault provider", () => {
  const unreached = (code: string | RegExp, providerDetail = expect.any(String)) => ({
    kind: "retryable",
    code: typeof code === "string" ? code : expect.stringMatching(code),
    detail: "The provider could not be reached.",
    fault: "provider",
    // For operators.
    providerDetail,
  });

  it("refused", async () => {
    const server = createServer();
    const port = await listenForTest(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await sendPlain(`http://127.0.0.1:${port}/`)).toEqual(unreached("econnrefused"));
  });

  it("to a name that does not exist", async () => {
    failLookUps("ENOTFOUND");
    expect(await sendPlain("http://provider.example/")).toEqual(
      unreached("enotfound", "Getaddrinfo ENOTFOUND provider.example."),
    );
  });

  it("refused at every address of the name", async () => {
    const server = createServer();
    const port = await listenForTest(server);
    await new Promise((resolve) => server.close(resolve));
    findAddresses("127.0.0.1", "127.0.0.2");
    const detail = `Connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED 127.0.0.2:${port}.`;
    expect(await sendPlain(`http://provider.example:${port}/`)).toEqual(unreached("econnrefused", detail));
  });

  it("reset in the TLS handshake", async () => {
    const port = await listenForTest(createServer((socket) => socket.once("data", () => socket.resetAndDestroy())));
    expect(await sendPlain(`https://127.0.0.1:${port}/`)).toEqual(unreached("econnreset"));
  });

  it("closed in the TLS handshake", async () => {
    const port = await listenForTest(createServer((socket) => socket.once("data", () => socket.end())));
    expect(await sendPlain(`https://127.0.0.1:${port}/`)).toEqual(unreached("econnreset"));
  });

  it("over TLS to a port that speaks plain HTTP", async () => {
    const { count, requests } = counter();
    const url = await answering(count);
    expect(await sendPlain(url.replace("http:", "https:"))).toEqual(unreached(/^err_ssl_/));
    expect(requests()).toBe(0);
  });

  it("with a self-signed certificate", async () => {
    const { count, requests } = counter();
    const port = await listenForTest(createHttpsServer(selfSigned("127.0.0.1"), count));
    expect(await sendPlain(`https://127.0.0.1:${port}/`)).toEqual(
      unreached("depth_zero_self_signed_cert", "Self-signed certificate."),
    );
    expect(requests()).toBe(0);
  });

  it("without a reply to the TLS handshake, before the timeout of the response", async () => {
    const port = await listenForTest(createServer());
    expect(await sendPlain(`https://127.0.0.1:${port}/`)).toEqual(unreached("und_err_connect_timeout"));
  });
});

describe("a request that was written: its outcome is unknown", () => {
  it("when the connection is reset", async () => {
    const url = await answering((request) => request.on("end", () => request.socket.resetAndDestroy()).resume());
    expect(await sendPlain(url)).toMatchObject({ kind: "unknown", code: "econnreset" });
  });

  it("when the connection is closed", async () => {
    const url = await answering((request) => request.on("end", () => request.socket.destroy()).resume());
    expect(await sendPlain(url)).toMatchObject({ kind: "unknown", code: "und_err_socket" });
  });

  it("when no headers arrive in time", async () => {
    const url = await answering(() => undefined);
    expect(await sendPlain(url)).toMatchObject({ kind: "unknown", code: "timeout" });
  });

  it("when the response does not end in time", async () => {
    const url = await answering((_request, response) => response.writeHead(200).write('{"id":'));
    expect(await sendPlain(url)).toMatchObject({ kind: "unknown", code: "timeout" });
  });

  it("when the connection is lost within the response", async () => {
    const url = await answering((_request, response) => {
      response.writeHead(200, { "content-length": "20" }).write('{"id":', () => response.socket?.destroy());
    });
    expect(await sendPlain(url)).toMatchObject({ kind: "unknown", code: "und_err_socket" });
  });

  it("when a proxy in front of the provider lost the connection, whatever the adapter makes of its response", async () => {
    const cutOff = "upstream connect error or disconnect/reset before headers. reset reason: connection termination";
    const url = await answering((_request, response) => response.writeHead(503).end(cutOff));
    expect(await sendPlain(url)).toMatchObject({ kind: "unknown", code: "http_503" });
  });

  it("when the response is longer than any API's: it is not read to its end", async () => {
    const url = await answering((_request, response) => {
      response.on("error", () => undefined).write(`{"id":"m1","more":"${"x".repeat(300_000)}`);
    });
    expect(await sendPlain(url)).toMatchObject({ kind: "unknown", code: "malformed_answer" });
  });
});

it("a key with a character that no header can have sends nothing, and has the fault account", async () => {
  const { count, requests } = counter();
  const url = await answering(count);
  for (const key of ["secret\u200b", "sec\nret"]) {
    const buildRequest = () => ({ method: "POST" as const, url, headers: { authorization: key }, body: "hi" });
    const outcome = await httpAdapter({ ...numberingProvider(url), buildRequest }, {}).send(PLAIN_SEND);
    expect(outcome).toMatchObject({
      kind: "retryable",
      fault: "account",
      providerDetail: "Invalid authorization header.",
    });
    expect(JSON.stringify(outcome)).not.toContain("sec");
  }
  expect(requests()).toBe(0);
});

it("a text that is too long for the provider is not sent there, but left to another provider", async () => {
  const { count, requests } = counter();
  const textMax = { "GSM-7": 3, "UCS-2": 2 };
  const adapter = httpAdapter({ ...numberingProvider(await answering(count)), textMax }, {});
  for (const [encoding, body, most] of [
    ["GSM-7", "abcd", 3],
    ["UCS-2", "яяя", 2],
  ] as const) {
    expect(await adapter.send({ ...PLAIN_SEND, message: { ...PLAIN_SEND.message, encoding, body } })).toEqual({
      kind: "retryable",
      code: "text_too_long",
      detail: `The provider takes texts of at most ${most} characters in ${encoding}.`,
      fault: "message",
    });
  }
  expect(requests()).toBe(0);
});

it("a readable response is passed to the provider's reader", async () => {
  const url = await answering((_request, response) => response.end('{"id":"m1"}'));
  expect(await sendPlain(url)).toEqual({ kind: "accepted", providerMessageIds: ["m1"] });
});

describe("an API that requires access tokens", () => {
  /** Accepts the token granted last, which `grants` times is refused once before its time. */
  async function serve(isRefused: (use: number) => boolean) {
    const seen: string[] = [];
    let granted = 0;
    const url = await answering((request, response) => {
      const { authorization = "" } = request.headers;
      seen.push(`${request.url} ${authorization}`);
      if (request.url === "/token") {
        granted += 1;
        response.end(JSON.stringify({ access_token: `t${granted}`, expires_in: 3_600 }));
      } else {
        const isUnauthorized = isRefused(seen.filter((line) => line.startsWith("/ ")).length);
        response.writeHead(isUnauthorized ? 401 : 200).end(JSON.stringify(isUnauthorized ? {} : { id: "m1" }));
      }
    });
    const adapter = httpAdapter(
      {
        ...numberingProvider(url),
        buildTokenRequest: () => ({ method: "POST", url: `${url}token`, headers: {}, body: "" }),
        buildRequest: (_, __, accessToken) => ({
          method: "POST",
          url,
          body: "hi",
          headers: { authorization: `Bearer ${accessToken}` },
        }),
        readResponse: ({ status }) =>
          status === 200
            ? { kind: "accepted", providerMessageIds: ["m1"] }
            : { kind: "retryable", code: "401", detail: "No.", fault: "account" },
      },
      {},
    );
    return { adapter, seen };
  }

  it("gets one before the attempt begins, and the same with every message", async () => {
    const { adapter, seen } = await serve(() => false);
    expect(await adapter.ready?.()).toBeNull();
    expect(seen).toEqual(["/token "]);
    expect(await adapter.send(PLAIN_SEND)).toMatchObject({ kind: "accepted" });
    expect(await adapter.send(PLAIN_SEND)).toMatchObject({ kind: "accepted" });
    expect(seen).toEqual(["/token ", "/ Bearer t1", "/ Bearer t1"]);
  });

  it("gets one more request, with a new token, if it refuses one that should be valid", async () => {
    const { adapter, seen } = await serve((use) => use === 1);
    expect(await adapter.send(PLAIN_SEND)).toMatchObject({ kind: "accepted" });
    expect(seen).toEqual(["/token ", "/ Bearer t1", "/token ", "/ Bearer t2"]);
  });

  it("and also refuses the new one decides the outcome", async () => {
    const { adapter, seen } = await serve(() => true);
    expect(await adapter.send(PLAIN_SEND)).toMatchObject({ kind: "retryable", fault: "account" });
    expect(seen).toHaveLength(4);
  });

  it("whose token server is unreachable leaves the message unsent", async () => {
    const adapter = httpAdapter(
      {
        ...numberingProvider("http://127.0.0.1:9/"),
        buildTokenRequest: () => ({ method: "POST", url: "http://127.0.0.1:9/token", headers: {}, body: "" }),
      },
      {},
    );
    expect(await adapter.ready?.()).toMatchObject({ kind: "retryable", code: "token_unreachable", fault: "provider" });
    expect(await adapter.send(PLAIN_SEND)).toMatchObject({ kind: "retryable", code: "token_unreachable" });
  });
});
