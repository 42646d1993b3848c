import { mkdtempSync, rmSync } from "node:fs";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { createPagesServer, createWebServer } from "../http-server";
import { forward, NoPages } from "./forward";

const closers: Array<() => void> = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const agent = () => {
  const made = new http.Agent({ keepAlive: true });
  closers.push(() => made.destroy());
  return made;
};

function socketFile(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "forward-"));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "pages");
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A pages process with this response. @returns its socket, and the bytes that reached it. */
async function pages(answer: Answer): Promise<{ socketPath: string; bytes: () => string }> {
  const socketPath = socketFile();
  const behind = `${socketPath}-behind`;
  const server = createPagesServer().on("request", answer);
  let bytes = "";
  const recorder = net.createServer((socket) => {
    const on = net.connect(behind);
    socket.on("data", (chunk) => {
      bytes += chunk;
    });
    socket.on("error", () => on.destroy());
    on.on("error", () => socket.destroy());
    socket.on("close", () => on.destroy());
    on.on("close", () => socket.destroy());
    socket.pipe(on).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(behind, resolve));
  await new Promise<void>((resolve) => recorder.listen(socketPath, resolve));
  closers.push(() => {
    recorder.close();
    server.closeAllConnections();
    server.close();
  });
  return { socketPath, bytes: () => bytes };
}

/** A web process before it. @returns its port, and how each forwarding ended. */
async function front(socketPath: string, body?: Buffer) {
  const target = { socketPath, agent: agent() };
  const endings: Promise<unknown>[] = [];
  const server = createWebServer().on("request", (request, response) => {
    request.resume();
    response.setHeader("x-frame-options", "DENY");
    endings.push(
      forward(target, request, response, body).then(
        () => "done",
        (thrown: unknown) => {
          response.writeHead(503).end();
          return thrown;
        },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, endings };
}

/** Sends these bytes. @returns all that comes back until the connection ends. */
const talk = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(text));
    let heard = "";
    socket.on("data", (chunk) => {
      heard += chunk;
    });
    socket.on("end", () => resolve(heard));
    socket.on("error", reject);
  });

const lines = (...all: string[]) => `${all.join("\r\n")}\r\n\r\n`;

test("method, path, fields and body arrive, and status, fields and body come back", async () => {
  const { socketPath } = await pages((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const seen = [request.method, request.url, request.headers["x-own"], Buffer.concat(chunks).toString()].join(" ");
      response.writeHead(418, { "set-cookie": ["a=1; Path=/", "b=2; Path=/"], "x-seen": seen });
      response.end("body");
    });
  });
  const { port } = await front(socketPath, Buffer.from("given"));
  const answer = await talk(
    port,
    lines("POST /a%2fb?c=%20d HTTP/1.1", "Host: h", "X-Own: v", "Content-Length: 0", "Connection: close"),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 418 /);
  expect(answer).toContain("x-frame-options: DENY\r\n");
  expect(answer).toContain("set-cookie: a=1; Path=/\r\nset-cookie: b=2; Path=/\r\n");
  expect(answer).toContain("x-seen: POST /a%2fb?c=%20d v given\r\n");
  expect(answer).toContain("body");
});

test("fields that apply to one connection or frame a body are not forwarded", async () => {
  const { socketPath, bytes } = await pages((_, response) => void response.end());
  const { port } = await front(socketPath);
  await talk(
    port,
    lines(
      ...["GET /p HTTP/1.1", "Host: h", "Connection: close, X-Hop", "X-Hop: secret", "Keep-Alive: timeout=9"],
      ...["TE: trailers", "Upgrade: h2c", "Proxy-Connection: x", "Expect: 100-continue", "Content-Length: 0"],
    ),
  );
  const [head = ""] = bytes().split("\r\n\r\n", 1);
  expect(head.toLowerCase().split("\r\n").sort()).toEqual(["connection: keep-alive", "get /p http/1.1", "host: h"]);
});

test("a caller cannot remove a field by which the pages know who calls", async () => {
  const { socketPath, bytes } = await pages((_, response) => void response.end());
  const { port } = await front(socketPath);
  const own = ["x-peer-address: 198.51.100.7", "x-asked-page: /p", "content-security-policy: c", "x-forwarded-for: f"];
  const names = own.map((line) => line.split(":", 1)[0]).join(", ");
  await talk(port, lines("GET /p HTTP/1.1", "Host: h", `Connection: close, ${names}`, ...own));
  const [head = ""] = bytes().split("\r\n\r\n", 1);
  expect(head.split("\r\n")).toEqual(expect.arrayContaining(own));
});

test("nor can a caller crowd such a field out", async () => {
  const { socketPath } = await pages(({ headers }, response) => {
    response.setHeader("x-seen", headers["x-peer-address"] ?? "none").end();
  });
  const { port } = await front(socketPath);
  const many = Array.from({ length: 1_500 }, (_, at) => `a${at}: 1`);
  const close = ["Host: h", "Connection: close"];
  expect(await talk(port, lines("GET /p HTTP/1.1", ...close, ...many, "x-peer-address: p"))).toContain("x-seen: p\r\n");
});

test("nothing of a chunked body or a smuggled request arrives", async () => {
  const { socketPath, bytes } = await pages((_, response) => void response.end());
  const { port } = await front(socketPath);
  const hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n";
  const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const close = "Connection: close";
  await talk(port, lines("POST /one HTTP/1.1", "Host: h", "Transfer-Encoding: chunked", close) + chunked);
  await talk(port, lines("POST /two HTTP/1.1", "Host: h", `Content-Length: ${hidden.length}`, close) + hidden);
  // Neither body was passed to be forwarded, so none arrives, and no request begins with it.
  expect(bytes()).not.toContain("hidden");
  expect(bytes().match(/HTTP\/1\.1/g)).toHaveLength(2);
});

test("a response arrives as it is made, and a reader who leaves ends it at its source", async () => {
  let left: () => void = () => undefined;
  const hasLeft = new Promise<void>((resolve) => {
    left = resolve;
  });
  const { socketPath } = await pages((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("first");
    response.once("close", left);
  });
  const { port, endings } = await front(socketPath);
  const socket = net.connect(port, "127.0.0.1", () => socket.write(lines("GET /stream HTTP/1.1", "Host: h")));
  await new Promise<void>((resolve) => {
    let heard = "";
    socket.on("data", (chunk) => {
      heard += chunk;
      if (heard.includes("first")) resolve();
    });
  });
  socket.destroy();
  await hasLeft;
  expect(await endings[0]).toBe("done");
});

test("a response that breaks off also breaks off for its reader", async () => {
  const { socketPath } = await pages((_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("part", () => response.destroy());
  });
  const { port } = await front(socketPath);
  const broken = new Promise<string>((resolve) => {
    http.get({ port, host: "127.0.0.1", agent: false }, (answer) => {
      answer.resume().once("error", (thrown) => resolve(thrown.message));
      answer.once("end", () => resolve("looks whole"));
    });
  });
  expect(await broken).toBe("aborted");
});

test("without a pages process, or if it hangs up, forwarding fails before anything is written", async () => {
  const nowhere = await front(socketFile());
  await talk(nowhere.port, lines("GET / HTTP/1.1", "Host: h", "Connection: close"));
  expect(await nowhere.endings[0]).toBeInstanceOf(NoPages);
  const { socketPath } = await pages((request) => void request.socket.destroy());
  const mute = await front(socketPath);
  expect(await talk(mute.port, lines("GET / HTTP/1.1", "Host: h", "Connection: close"))).toMatch(/^HTTP\/1\.1 503 /);
  expect(await mute.endings[0]).toBeInstanceOf(NoPages);
});

test("responses to HEAD, and 204 and 304, have no body, and the connection stays usable", async () => {
  const { socketPath } = await pages((request, response) => {
    if (request.method === "HEAD") response.writeHead(200, { "content-length": "5" }).end();
    else response.writeHead(request.url === "/304" ? 304 : 204).end();
  });
  const { port } = await front(socketPath);
  const asked = ["HEAD /a HTTP/1.1", "GET /304 HTTP/1.1", "GET /204 HTTP/1.1"];
  const last = (at: number) => (at === asked.length - 1 ? ["Connection: close"] : []);
  const answer = await talk(port, asked.map((line, at) => lines(line, "Host: h", ...last(at))).join(""));
  expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "304", "204"]);
});
