import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Export } from "../../exports/service";
import { writeExport } from "./export-response";

const closers: Array<() => void> = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Asks a server that responds with the export. `failure`: what writing it threw. */
async function ask(pages: Export["pages"]) {
  let failure: unknown;
  const server = createServer((_request, response: ServerResponse) => {
    writeExport(response, { fileName: "list.csv", header: ["a", "b"], pages }).catch((thrown: unknown) => {
      failure = thrown;
      if (!response.headersSent) response.writeHead(503).end("refused");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const text = await response.text().catch(() => null);
  return { status: response.status, text, failureOf: () => failure };
}

async function* pagesOf(...pages: Array<Array<[string, number]> | Error>): Export["pages"] {
  for (const page of pages) {
    if (page instanceof Error) throw page;
    yield page;
  }
}

test("the pages of a list become one file with one header", async () => {
  const { status, text } = await ask(pagesOf([["=x", 1]], [["y", 2]]));
  expect(status).toBe(200);
  expect(text).toBe('a,b\r\n"\'=x",1\r\ny,2\r\n');
});

test("a file is cut off if its rows cannot be read to the end, so that it never looks complete", async () => {
  const { status, text, failureOf } = await ask(pagesOf([["x", 1]], new Error("the database is gone")));
  expect(status).toBe(200);
  expect(text).toBeNull();
  expect(failureOf()).toEqual(new Error("the database is gone"));
});

test("a list that cannot be read at all is refused before the file begins", async () => {
  const { status, text } = await ask(pagesOf(new Error("the database is gone")));
  expect([status, text]).toEqual([503, "refused"]);
});

test("no page is read before the reader has taken the previous ones, and none for a reader who left", async () => {
  let pagesRead = 0;
  let isOver = false;
  async function* endless(): Export["pages"] {
    try {
      for (;;) {
        pagesRead += 1;
        yield Array.from({ length: 500 }, () => ["x".repeat(1_000), 1] as [string, number]);
      }
    } finally {
      isOver = true;
    }
  }
  const server = createServer((_request, response) => {
    void writeExport(response, { fileName: "list.csv", header: ["a", "b"], pages: endless() });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const leaving = new AbortController();
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    signal: leaving.signal,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await expect.poll(() => new Promise((resolve) => setImmediate(() => resolve(pagesRead > 0)))).toBe(true);
  expect(pagesRead).toBeLessThan(100);
  leaving.abort();
  await expect.poll(() => isOver).toBe(true);
});

test("an export ends at once when its reader leaves while a page is being read", async () => {
  let read: (() => void) | undefined;
  let isOver = false;
  async function* waiting(): Export["pages"] {
    yield [["x", 1]];
    await new Promise<void>((resolve) => {
      read = resolve;
    });
    yield [["y", 2]];
  }
  const server = createServer((_request, response) => {
    void writeExport(response, { fileName: "list.csv", header: ["a", "b"], pages: waiting() }).then(() => {
      isOver = true;
    });
    response.once("close", () => read?.());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const leaving = new AbortController();
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { signal: leaving.signal });
  await expect.poll(() => read).toBeDefined();
  leaving.abort();
  await expect.poll(() => isOver).toBe(true);
});
