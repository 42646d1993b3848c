import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { tooLarge } from "../../core/errors";
import { readBody } from "./body";

const server = createServer();

afterEach(() => {
  server.removeAllListeners("request");
  server.close();
});

const read = (request: IncomingMessage, response: ServerResponse): Promise<string> =>
  readBody(request, response, {
    kind: "known",
    owner: "acc_1",
    maxBytes: 10,
    tooLarge: () => tooLarge("Too large."),
  }).then(
    (body) => body.toString(),
    (thrown: Error) => thrown.message,
  );

/** Sends a request with `body`. @returns it as the server sees it, and the connection it came by. */
async function arrive(body: string, announcedBytes = body.length) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${announcedBytes}\r\n\r\n${body}`);
  const [request, response] = await asked;
  return { request, response, socket };
}

test("a body is read to its end", async () => {
  const { request, response, socket } = await arrive("{}");
  expect(await read(request, response)).toBe("{}");
  socket.destroy();
});

test("a body that ends before its announced length is refused", async () => {
  const { request, response, socket } = await arrive("{", 2);
  const reading = read(request, response);
  socket.destroy();
  expect(await reading).toMatch(/ended before/);
});

test.each([
  ["in part", 3],
  ["as a whole", 2],
])(
  "a body that had arrived %s when its caller left is refused, even if nobody was reading it then",
  async (_, bytes) => {
    const { request, response, socket } = await arrive("{}", bytes);
    socket.destroy();
    await once(response, "close");
    expect(await read(request, response)).toMatch(/ended before/);
  },
);
