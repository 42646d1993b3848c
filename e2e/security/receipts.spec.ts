import net from "node:net";
import { ask } from "../../test/network/plain-http";
import { statusesIn } from "../../test/network/raw-socket";
import { expect, testWith } from "../support/installation/installation-test";

const test = testWith({ carriers: ["plivo", "infobip"], workers: 0 });
test.describe.configure({ mode: "serial" });

type UnfinishedPost = { answered: () => string; hasEnded: () => boolean; vanish: () => void };

/** Begins a POST of `length` bytes, but sends only the first `sent`. */
function begin(url: string, path: string, length: number, sent: number): UnfinishedPost {
  const { hostname, port, host } = new URL(url);
  let answered = "";
  let hasEnded = false;
  const socket = net.connect(Number(port), hostname);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${length}\r\n\r\n${"x".repeat(sent)}`);
  socket.on("data", (chunk) => {
    answered += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    hasEnded = true;
  });
  return { answered: () => answered, hasEnded: () => hasEnded, vanish: () => socket.destroy() };
}

test("an unknown path is refused before its body has arrived", async ({ installation }) => {
  const { web } = installation;
  for (const path of ["/api/receipts/plivo/wrong", "/api/receipts/nobody/x", "/api/receipts/plivo"]) {
    const unfinished = begin(web.url, path, 1_048_576, 1_000);
    await expect.poll(() => statusesIn(unfinished.answered()), { message: path }).toEqual([404]);
    unfinished.vanish();
  }
});

test("a callback larger than any provider's is refused by its announced length alone", async ({ installation }) => {
  const { web, receiptUrlOf } = installation;
  const plivo = new URL(receiptUrlOf("plivo")).pathname;
  const unfinished = begin(web.url, plivo, 65_537, 0);
  await expect.poll(() => statusesIn(unfinished.answered())).toEqual([413]);
  unfinished.vanish();
  const infobip = new URL(receiptUrlOf("infobip")).pathname;
  const results = Array.from({ length: 500 }, (_, at) => ({
    messageId: `none-${at}`,
    to: "14155550123",
    status: { groupId: 3, groupName: "DELIVERED", id: 5, name: "DELIVERED_TO_HANDSET", description: "x".repeat(100) },
    error: { groupId: 0, id: 0, name: "NO_ERROR", permanent: false },
  }));
  const body = JSON.stringify({ results });
  expect(body.length).toBeGreaterThan(65_536);
  const headers = { "content-type": "application/json" };
  expect((await ask(web.url, { method: "POST", path: infobip, headers, body })).status).toBe(200);
});

test("unfinished callbacks use a bounded amount of memory, and free it when they are gone", async ({
  installation,
}) => {
  const { web, receiptUrlOf } = installation;
  const path = new URL(receiptUrlOf("plivo")).pathname;
  const unfinished = Array.from({ length: 400 }, () => begin(web.url, path, 65_536, 65_000));
  const refused = () => unfinished.filter(({ answered }) => statusesIn(answered())[0] === 503);
  await expect.poll(() => refused().length).toBeGreaterThan(100);
  expect(refused()[0]?.answered().toLowerCase()).toContain("retry-after: ");
  expect(refused().length).toBeLessThan(300);
  for (const { vanish } of unfinished) vanish();
  // It is not believed, because it is not signed; but there was room for it.
  await expect
    .poll(async () => (await ask(web.url, { method: "POST", path, body: "x".repeat(60_000) })).status)
    .toBe(401);
});

test("the service ends a request that never finishes", async ({ installation }) => {
  const { web, receiptUrlOf } = installation;
  const bodies = begin(web.url, new URL(receiptUrlOf("plivo")).pathname, 1_000, 10);
  const calls = begin(web.url, "/api/trpc/auth.signUp", 1_000, 0);
  await expect.poll(bodies.hasEnded).toBe(true);
  await expect.poll(calls.hasEnded).toBe(true);
});
