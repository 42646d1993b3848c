import { exchange, expectErrors, jsonIn, statusesIn, type Then } from "../../test/network/raw-socket";
import { expect, test } from "../test";

const TO = "+14155550123";

/** Writes requests of one account byte by byte. */
function makeWriter(key: string) {
  const base = ["Host: x", `Authorization: Bearer ${key}`];
  const write = (line: string, headers: string[] = [], body = "") =>
    `${[line, ...headers].join("\r\n")}\r\n\r\n${body}`;
  return {
    write,
    /** A request with the account's key. */
    call: (line: string, headers: string[] = [], body = "") => write(line, [...base, ...headers], body),
    /** A request with the account's key, after which the connection is closed. */
    last: (line: string, headers: string[] = [], body = "") =>
      write(line, [...base, "Connection: close", ...headers], body),
    base,
  };
}

const JSON_TYPE = "Content-Type: application/json";
const lengthOf = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;

test("rare but valid HTTP is handled like any other request", async ({ service, account, api }) => {
  const { call, last, write } = makeWriter(account.apiKey);
  const body = JSON.stringify({ to: TO, from: account.sender, body: "x" });
  const send = "POST /api/v1/messages/send HTTP/1.1";
  const half = body.length >> 1;
  const chunks = [body.slice(0, half), body.slice(half)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  const answers: [name: string, bytes: string, statuses: number[]][] = [
    ["absolute form", last(`GET ${service.url}/api/v1/balance HTTP/1.1`), [200]],
    ["encoded letters", last("GET /api/v1/bal%61nce HTTP/1.1"), [200]],
    ["absolute form of another host", last("GET http://other.invalid/api/v1/balance HTTP/1.1"), [200]],
    [
      "absolute form with a body",
      last(`POST ${service.url}/api/v1/messages/send HTTP/1.1`, [JSON_TYPE, lengthOf(body)], body),
      [201],
    ],
    ["HTTP/1.0", call("GET /api/v1/balance HTTP/1.0"), [200]],
    ["HTTP/1.0 with a body", call("POST /api/v1/messages/send HTTP/1.0", [JSON_TYPE, lengthOf(body)], body), [201]],
    [
      "an offer to upgrade to HTTP/2",
      last("GET /api/v1/balance HTTP/1.1", [
        "Connection: Upgrade, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQBAAAAAAIAAAAA",
      ]),
      [200],
    ],
    [
      "an offer to upgrade, with a body",
      last(send, ["Connection: Upgrade", "Upgrade: h2c", JSON_TYPE, lengthOf(body)], body),
      [201],
    ],
    ["a body in chunks", last(send, [JSON_TYPE, "Transfer-Encoding: chunked"], `${chunks.join("")}0\r\n\r\n`), [201]],
    [
      "chunks with extensions and trailers",
      last(
        send,
        [JSON_TYPE, "Transfer-Encoding: chunked", "Trailer: X-A"],
        `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\nX-A: b\r\n\r\n`,
      ),
      [201],
    ],
    [
      "a body that waits for 100 Continue",
      last(send, [JSON_TYPE, lengthOf(body), "Expect: 100-continue"], body),
      [100, 201],
    ],
    [
      "many headers",
      last(
        "GET /api/v1/balance HTTP/1.1",
        Array.from({ length: 500 }, (_, at) => `X-${at}: 1`),
      ),
      [200],
    ],
    [
      "a key in lower case letters of its scheme",
      write("GET /api/v1/balance HTTP/1.1", [
        "host: x",
        "Connection: close",
        `AUTHORIZATION: bearer ${account.apiKey}`,
      ]),
      [200],
    ],
    [
      "requests one behind the other",
      `${call("GET /api/v1/balance HTTP/1.1")}${call(send, [JSON_TYPE, lengthOf(body)], body)}${call("GET /api/v1/nowhere HTTP/1.1")}${last(send, [JSON_TYPE, lengthOf(body)], body)}`,
      [200, 201, 404, 201],
    ],
    ["a question to the server as a whole", last("OPTIONS * HTTP/1.1"), [404]],
  ];
  for (const [name, bytes, statuses] of answers) {
    const answered = await exchange(service, bytes);
    expect(statusesIn(answered), name).toEqual(statuses);
    if (!name.includes("as a whole")) expectErrors(answered, name);
  }
  const sends = answers.flatMap(([, , statuses]) => statuses.filter((status) => status === 201)).length;
  expect((await api.get("/balance")).body.data.balance).toBe(100 - sends / 100);
});

test("invalid HTTP is refused, nothing of it is carried out, and the next caller is served", async ({
  service,
  account,
  api,
}) => {
  const { call, last, write, base } = makeWriter(account.apiKey);
  const body = JSON.stringify({ to: TO, from: account.sender, body: "x" });
  const send = "POST /api/v1/messages/send HTTP/1.1";
  const withBody = (...headers: string[]) => last(send, [JSON_TYPE, ...headers], body);
  const whole = last(send, [JSON_TYPE, lengthOf(body)], body);
  const cases: [name: string, bytes: string | Buffer, statuses: number[], then?: Then][] = [
    ["two lengths", withBody("Content-Length: 5", lengthOf(body)), [400]],
    ["a length and chunks", withBody(lengthOf(body), "Transfer-Encoding: chunked"), [400]],
    ["an unknown transfer encoding", withBody("Transfer-Encoding: gzip"), [400]],
    ["malformed chunks", withBody("Transfer-Encoding: chunked"), [400]],
    [
      "a chunk larger than numbers go",
      last(send, [JSON_TYPE, "Transfer-Encoding: chunked"], `fffffffffffffffff\r\n${body}`),
      [400],
    ],
    ["a negative length", withBody("Content-Length: -5"), [400]],
    ["a length with a sign", withBody(`Content-Length: +${body.length}`), [400]],
    ["a length too short", call(send, [JSON_TYPE, `Content-Length: ${body.length - 1}`], body), [400, 400]],
    [
      "a length too long, and the end",
      last(send, [JSON_TYPE, `Content-Length: ${body.length + 1}`], body),
      [400],
      "end",
    ],
    [
      "a length too long, and no more data",
      last(send, [JSON_TYPE, `Content-Length: ${body.length + 1}`], body),
      [],
      "vanish",
    ],
    ["half of a body, and no more data", last(send, [JSON_TYPE, lengthOf(body)], body.slice(0, 20)), [], "vanish"],
    ["half of the headers", whole.slice(0, 60), [400], "end"],
    ["half of the headers, and no more data", whole.slice(0, 60), [], "vanish"],
    ["no length at all, in HTTP/1.0", call("POST /api/v1/messages/send HTTP/1.0", [JSON_TYPE], body), [400]],
    ["no host", write(send, [...base.slice(1), JSON_TYPE, lengthOf(body)], body), [400]],
    ["two hosts", withBody("Host: y", lengthOf(body)), [400]],
    ["line feeds alone", whole.replaceAll("\r\n", "\n"), [400]],
    ["a space before a header's colon", withBody(`Content-Length : ${body.length}`), [400]],
    ["a header over two lines", withBody(lengthOf(body), "X-A: b\r\n c"), [400]],
    ["NUL in a header", withBody(lengthOf(body), "X-A: \0"), [400]],
    ["endless headers", withBody(lengthOf(body), `X-A: ${"a".repeat(20_000)}`), [400]],
    ["an endless path", last(`GET /api/v1/messages/${"a".repeat(20_000)} HTTP/1.1`), [400]],
    ["letters beyond ASCII in a path", Buffer.from(last("GET /api/v1/messages/\u00e9 HTTP/1.1"), "latin1"), [400]],
    ["a space in a path", last("GET /api/v1/messages/a b HTTP/1.1"), [400]],
    ["an unknown method", last("FETCH /api/v1/balance HTTP/1.1"), [400]],
    ["an invalid version", last("GET /api/v1/balance HTTP/3.7"), [400]],
    ["an unknown expectation", last(send, [JSON_TYPE, lengthOf(body), "Expect: the unexpected"], body), [400]],
    ["a tunnel", call("CONNECT 127.0.0.1:5432 HTTP/1.1"), [400]],
    ["the greeting of TLS", Buffer.from("16030100f8010000f40303", "hex"), [400], "end"],
    ["the greeting of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]],
    ["nothing", "", [], "end"],
  ];
  for (const [name, bytes, statuses, then] of cases) {
    const answered = await exchange(service, bytes, then);
    expect(statusesIn(answered), name).toEqual(statuses);
    expectErrors(answered, name);
    const balance = await api.get("/balance");
    expect(balance, name).toMatchObject({ status: 200, body: { data: { balance: 100 } } });
  }
  expect((await api.get("/messages")).body.pagination?.total).toBe(0);
});

test("garbage after a request does not affect that request's response", async ({ service, account, api }) => {
  const { call } = makeWriter(account.apiKey);
  const body = JSON.stringify({ to: TO, from: account.sender, body: "x" });
  const send = call("POST /api/v1/messages/send HTTP/1.1", [JSON_TYPE, lengthOf(body)], body);
  const answered = await exchange(service, `${send}nonsense\r\n\r\n`);
  expect(statusesIn(answered)).toEqual([201, 400]);
  expectErrors(answered, "nonsense");
  expect((await api.get("/messages")).body.pagination?.total).toBe(1);
});

test("unknown paths, however they are written, get an error response", async ({ service, account }) => {
  const { last } = makeWriter(account.apiKey);
  const cases: [path: string, status: number][] = [
    ["/api/v1", 404],
    ["/api/v1/", 404],
    ["/api/v1?page=1", 404],
    ["/api/v1//messages", 404],
    ["/api/v1/balance//", 404],
    ["/api/v1/balance#part", 404],
    ["/api/v1/../v1/balance", 404],
    ["/api/v1/./balance", 404],
    ["/api/v1/BALANCE", 404],
    ["/api/v1/%2e%2e/v1/balance", 404],
    ["/api/v1/messages/%zz", 404],
    ["/api/v1/messages/%E0%A4%A", 404],
    ["/api/v1/messages/%C0%AF", 404],
    ["/api/v1/messages/%2F", 404],
    ["/api/v1/messages/..%2Fbalance", 404],
    ["/api/v1/messages/%F0%9F%98%80", 404],
    ["/api/v1/messages/%00", 400],
    ["/api/v1/messages/msg_%00", 400],
    [`/api/v1/messages/${"%F0%9F%98%80".repeat(600)}`, 404],
    ["/api/v1/messages?to=%00", 400],
    ["/api/v1/messages?page=1&page=1", 400],
    [`/api/v1/messages?to=${"1".repeat(10_000)}`, 400],
  ];
  for (const [path, status] of cases) {
    const answered = await exchange(service, last(`GET ${path} HTTP/1.1`));
    expect(statusesIn(answered), path).toEqual([status]);
    expect(jsonIn(answered), path).toEqual({
      success: false,
      error: {
        type: "invalid_request_error",
        code: status === 404 ? "not_found" : "invalid_request",
        message: expect.any(String),
        param: status === 404 && !/%2F|%F0/.test(path) ? null : expect.any(String),
        details: expect.any(Object),
      },
      meta: { request_id: expect.stringMatching(/^req_/), api_version: "v1" },
    });
  }
  // Outside the API's paths its shapes are not promised, but no request fails.
  for (const path of ["//api/v1//messages", "/API/v1/balance", "/api/%761/balance", "/api/v2/balance", "/%"]) {
    const [status] = statusesIn(await exchange(service, last(`GET ${path} HTTP/1.1`)));
    expect(status, path).toBeGreaterThanOrEqual(300);
    expect(status, path).toBeLessThan(500);
  }
});
