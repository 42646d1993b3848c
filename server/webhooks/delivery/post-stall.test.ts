/** A stall of this process is not a failure of the endpoint. */
import { Agent } from "undici";
import { afterEach, expect, test } from "vitest";
import { stallFor, stallThen, startServerApart } from "@/test/network/stalls";
import { postJson } from "./post";

const LIMIT_MS = 600;

const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serverApart(options: Parameters<typeof startServerApart>[0]) {
  const server = await startServerApart(options);
  closers.push(server.close);
  return server;
}

/** Makes a function that posts to `url` over its own connections. */
function poster(url: string) {
  const dispatcher = new Agent();
  closers.push(() => dispatcher.destroy());
  return (limitMs = LIMIT_MS) => postJson(url, { dispatcher, headers: {}, body: Buffer.from("{}"), limitMs });
}

test("responses that arrive while our event loop stalls are read, however late", async () => {
  const { url, requests } = await serverApart({ answer: "taken", afterMs: 300 });
  const post = poster(url);
  const results = Promise.all(Array.from({ length: 30 }, () => post()));
  await requests(30);
  await stallFor(2 * LIMIT_MS);
  expect(new Set((await results).map((result) => result.error))).toEqual(new Set([null]));
});

test("an endpoint that closes the connection while we stall has not failed", async () => {
  const { url, requests } = await serverApart({ answer: null, afterMs: 300 });
  const posted = poster(url)();
  await Promise.all([expect(posted).rejects.toThrow("stalled"), requests(1).then(() => stallFor(2 * LIMIT_MS))]);
});

test("an endpoint that responds 408 because we stalled has not failed", async () => {
  const { url, requests } = await serverApart({ answer: "", status: 408, afterMs: 300 });
  const posted = poster(url)();
  await Promise.all([expect(posted).rejects.toThrow("stalled"), requests(1).then(() => stallFor(2 * LIMIT_MS))]);
});

test("an endpoint whose response is late because we stalled has not failed", async () => {
  const { url, requests } = await serverApart({ answer: "", afterMs: 600_000 });
  const posted = poster(url)();
  await Promise.all([expect(posted).rejects.toThrow("stalled"), requests(1).then(() => stallFor(2 * LIMIT_MS))]);
});

test("an error status is a failure, whether we stalled or not", async () => {
  const { url, requests } = await serverApart({ answer: "no", status: 500, afterMs: 300 });
  const posted = poster(url)();
  await requests(1);
  await stallFor(2 * LIMIT_MS);
  expect(await posted).toMatchObject({ acknowledged: false, statusCode: 500 });
});

test("a connection that the endpoint closed while we stalled is not reused for the next event", async () => {
  const { url } = await serverApart({ answer: "taken", afterMs: 0, keepMs: 500 });
  const post = poster(url);
  expect(await post()).toMatchObject({ acknowledged: true });
  const results = await stallThen(2_500, () => Promise.all([post(5_000), post(5_000)]));
  expect(results.map((result) => result.error)).toEqual([null, null]);
});
