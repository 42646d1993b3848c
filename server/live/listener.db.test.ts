import net, { type AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { env } from "../core/env";
import { shutDown } from "../core/process";
import { watch } from "./listener";

afterEach(() => {
  vi.useRealTimers();
});

/** The response of a database to a new connection: that it takes statements. */
const WELCOME = Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", "latin1");
/** That it has set what a session needs. */
const SET = Buffer.from("C\0\0\0\x08SET\0Z\0\0\0\x05I", "latin1");
/** And that it listens. */
const LISTENS = Buffer.from("C\0\0\0\x0bLISTEN\0Z\0\0\0\x05I", "latin1");

test("a database that takes a connection and falls silent is left, and connected to again", async () => {
  const sockets: net.Socket[] = [];
  let listens = 0;
  const database = net.createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    socket.once("data", () => socket.write(WELCOME));
    socket.on("data", (chunk) => {
      if (chunk.includes("set_config")) socket.write(SET);
      if (chunk.includes("LISTEN")) listens += 1;
    });
  });
  await new Promise<void>((resolve) => database.listen(0, "127.0.0.1", resolve));
  const { port } = database.address() as AddressInfo;
  process.env.DATABASE_URL = `postgresql://user@127.0.0.1:${port}/none`;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const unwatch = watch("acc_1", () => undefined);
  await expect.poll(() => listens).toBe(1);
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.advanceTimersByTimeAsync(500);
  await expect.poll(() => listens).toBe(2);
  unwatch();
  for (const socket of sockets) socket.destroy();
  database.close();
});

test("a stop does not wait for a database that has fallen silent", async () => {
  const sockets: net.Socket[] = [];
  let isLeft = false;
  // It does not even close its end of the connection.
  const database = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on("error", () => undefined));
    socket.once("data", () => socket.write(WELCOME));
    socket.on("data", (chunk) => {
      if (chunk.includes("set_config")) socket.write(SET);
      if (chunk.includes("LISTEN")) socket.write(LISTENS);
    });
    socket.on("end", () => {
      isLeft = true;
    });
  });
  await new Promise<void>((resolve) => database.listen(0, "127.0.0.1", resolve));
  env().DATABASE_URL = `postgresql://user@127.0.0.1:${(database.address() as AddressInfo).port}/none`;
  let isListening = false;
  // Told once it listens.
  const unwatch = watch("acc_1", () => {
    isListening = true;
  });
  await expect.poll(() => isListening).toBe(true);
  await shutDown();
  await expect.poll(() => isLeft).toBe(true);
  unwatch();
  for (const socket of sockets) socket.destroy();
  database.close();
});
