import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";

const ORIGIN = "https://sms.example.net";
let files: import("./docs-files").DocsFiles;
let server: Server;

beforeAll(async () => {
  Object.assign(process.env, {
    DATABASE_URL: "postgresql://unused",
    SECRET_KEY: "0".repeat(40),
    PUBLIC_URL: ORIGIN,
    TRUSTED_PROXIES: "127.0.0.1",
  });
  const { answerDocsFile, readDocsFiles } = await import("./docs-files");
  files = readDocsFiles("docs");
  server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    if (file) void answerDocsFile(request, response, file);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

const ask = (path: string, method: string, address: string) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method,
    headers: { "x-forwarded-for": address },
  });

test("every file is made once for all requests", async () => {
  for (const [path, { textAt }] of files) expect(await textAt(ORIGIN), path).toBe(await textAt(ORIGIN));
});

test("a HEAD has the headers of a GET", async () => {
  const [head, get] = await Promise.all(
    ["HEAD", "GET"].map((method) => ask("/docs/postman.json", method, "198.51.100.1")),
  );
  for (const name of ["content-type", "content-length", "content-encoding", "vary"]) {
    expect([name, head?.headers.get(name)]).toEqual([name, get?.headers.get(name)]);
  }
  expect(await head?.text()).toBe("");
  const collection = (await get?.json()) as { variable: { value: string }[] };
  expect(collection.variable[0]?.value).toBe(`${ORIGIN}/api/v1`);
});

test("the files are refused only to a network that asks too often", async () => {
  // Stops the clock, so that no bucket is refilled.
  vi.useFakeTimers({ toFake: ["performance"] });
  const flood = Array.from({ length: 400 }, (_, at) =>
    ask("/docs/postman.json", at % 2 === 0 ? "HEAD" : "GET", "198.51.100.2"),
  );
  const responses = await Promise.all(flood);
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  const refused = responses.find(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await ask("/docs/postman.json", "HEAD", "198.51.100.3")).status).toBe(200);
});
