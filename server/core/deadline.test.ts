import { once } from "node:events";
import { stat } from "node:fs";
import net from "node:net";
import { expect, test } from "vitest";
import { standStill } from "@/test/network/stalls";
import { hasStalledSince, sinceLongStallMs, socketsRead, stalledMs, startDeadline } from "./deadline";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const expiryOf = (limitMs: number): Promise<"expired"> =>
  new Promise((resolve) => {
    startDeadline(limitMs, () => resolve("expired"));
  });

test("a deadline expires after its limit", async () => {
  expect(await expiryOf(20)).toBe("expired");
});

test("a cleared deadline never expires", async () => {
  let isExpired = false;
  const deadline = startDeadline(20, () => {
    isExpired = true;
  });
  deadline.clear();
  await sleep(100);
  expect(isExpired).toBe(false);
});

test("data that is already in the socket when the deadline is due is read first", async () => {
  const server = net.createServer((socket) => socket.on("data", () => socket.write("pong")));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
  await once(client, "connect");
  const ended = new Promise<string>((resolve) => {
    startDeadline(200, () => resolve("expired"));
    client.once("data", (data) => resolve(data.toString()));
  });
  client.write("ping");
  // Resumes in the check phase: timers run before the sockets are polled again.
  await new Promise((resolve) => setImmediate(resolve));
  standStill(200);
  expect(await ended).toBe("pong");
  client.destroy();
  server.close();
});

test("the time of a stall is added to the limit", async () => {
  let expiredAt = 0;
  const startedAt = performance.now();
  const expired = new Promise<void>((resolve) => {
    startDeadline(300, () => {
      expiredAt = performance.now();
      resolve();
    });
  });
  await sleep(10);
  standStill(1_000);
  const endedAt = performance.now();
  await expired;
  // The limit of 300 ms runs beyond the stall, although the timer was due before the stall ended.
  expect(expiredAt - endedAt).toBeGreaterThan(200);
  expect(expiredAt - startedAt).toBeGreaterThan(1_200);
});

test("a stall that has just ended is known before timers run, and the sockets are read before anything begins", async () => {
  const markMs = stalledMs();
  expect(hasStalledSince(markMs)).toBe(false);
  await sleep(150);
  let hasReadSockets = false;
  await new Promise<void>((resolve) => {
    // Called back in the poll phase: the check phase comes next, then the timers, and only then the sockets.
    stat(".", () => {
      standStill(1_000);
      expect(hasStalledSince(markMs)).toBe(true);
      expect(hasStalledSince(markMs, 5_000)).toBe(false);
      expect(sinceLongStallMs()).toBeLessThan(1_000);
      setImmediate(() => {
        expect(hasReadSockets).toBe(false);
      });
      void socketsRead().then(() => {
        hasReadSockets = true;
        resolve();
      });
    });
  });
  const afterMs = stalledMs();
  await socketsRead();
  expect(stalledMs() - afterMs).toBeLessThan(1_000);
});
