import net from "node:net";
import { afterEach, expect, test } from "vitest";
import { type Gate, startGate } from "./gate";

const COMMIT = Buffer.from("Q\0\0\0\x0bCOMMIT\0");
const READY = Buffer.from("Z\0\0\0\x05I", "latin1");
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A database stub that records its input and reports ReadyForQuery after each piece. */
async function startPair(): Promise<{ gate: Gate; got: () => string; connect: () => Promise<net.Socket> }> {
  let got = "";
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      got += chunk.toString("latin1");
      socket.write(READY);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const gate = await startGate((server.address() as net.AddressInfo).port);
  ends.push(
    () => void gate.close(),
    () => server.close(),
  );
  const connect = () =>
    new Promise<net.Socket>((resolve) => {
      const port = Number(new URL(gate.url("postgresql://u:p@localhost:1/db", "worker-1.1")).port);
      const socket = net.connect(port, "127.0.0.1", () => resolve(socket));
      socket.on("error", () => undefined);
      ends.push(() => socket.destroy());
    });
  return { gate, got: () => got, connect };
}

/** Sends data. @returns the response, or the bytes received until the connection closed. */
const ask = (socket: net.Socket, sent: Buffer): Promise<string> =>
  new Promise((resolve) => {
    socket.once("data", (chunk) => resolve(chunk.toString("latin1")));
    socket.once("close", () => resolve("closed"));
    socket.write(sent);
  });

test("everything passes while nothing is to be cut, and the address names the process", async () => {
  const { gate, got, connect } = await startPair();
  expect(await ask(await connect(), COMMIT)).toBe(READY.toString("latin1"));
  expect(got()).toBe(COMMIT.toString("latin1"));
  expect(gate.url("postgresql://u:p@localhost:1/db", "web-1.2")).toContain("options=-c%20prove.process%3Dweb-1.2");
});

test("before: data sent ahead of the COMMIT arrives, the COMMIT does not", async () => {
  const { gate, got, connect } = await startPair();
  const cut = gate.cutCommits("before", 1);
  expect(await ask(await connect(), Buffer.concat([Buffer.from("INSERT"), COMMIT]))).toBe("closed");
  await expect.poll(got).toBe("INSERT");
  expect(cut()).toBe(1);
  expect(await ask(await connect(), COMMIT)).toBe(READY.toString("latin1"));
});

test("after: the COMMIT arrives, and its reply does not", async () => {
  const { gate, got, connect } = await startPair();
  const cut = gate.cutCommits("after", 1);
  expect(await ask(await connect(), COMMIT)).toBe("closed");
  expect(got()).toBe(COMMIT.toString("latin1"));
  expect(cut()).toBe(1);
});

test("the reply to one statement can be lost", async () => {
  const { gate, got, connect } = await startPair();
  gate.loseResponsesTo("attempts.claim", 1);
  expect(await ask(await connect(), Buffer.from("something else"))).toBe(READY.toString("latin1"));
  expect(await ask(await connect(), Buffer.from("B attempts.claim"))).toBe("closed");
  expect(got()).toContain("attempts.claim");
});

test("only transactions with certain statements can be cut", async () => {
  const { gate, connect } = await startPair();
  const cut = gate.loseEverySecondCommit(() => 0, ["DELETE"]);
  const socket = await connect();
  for (const sent of ["INSERT", "DELETE"]) expect(await ask(socket, Buffer.from(sent))).toBe(READY.toString("latin1"));
  expect(await ask(await connect(), COMMIT)).toBe(READY.toString("latin1"));
  expect(cut()).toBe(0);
  expect(await ask(socket, COMMIT)).toBe("closed");
  expect(cut()).toBe(1);
});

test("pending cuts are dropped when the gate is healed", async () => {
  const { gate, connect } = await startPair();
  gate.cutCommits("before", 5);
  gate.heal();
  expect(await ask(await connect(), COMMIT)).toBe(READY.toString("latin1"));
});

test("all connections can be ended at once", async () => {
  const { gate, connect } = await startPair();
  const sockets = [await connect(), await connect()];
  const closed = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  await Promise.all(sockets.map((socket) => ask(socket, Buffer.from("x"))));
  expect(gate.hangUp()).toBe(2);
  await closed;
});

test("a partition holds up data, on new connections too, and nothing is closed", async () => {
  const { gate, got, connect } = await startPair();
  const socket = await connect();
  expect(await ask(socket, Buffer.from("first"))).toBe(READY.toString("latin1"));
  gate.partition("requests");
  const replies = [ask(socket, COMMIT), ask(await connect(), Buffer.from("new"))];
  // A connection that is not held shows that bytes had the time to arrive.
  const other = await startPair();
  await ask(await other.connect(), COMMIT);
  expect(got()).toBe("first");
  expect(gate.rejoin("delivered")).toBe(2);
  expect(await Promise.all(replies)).toEqual([READY.toString("latin1"), READY.toString("latin1")]);
});

test("a partition of the responses lets requests through, and the client's end with them", async () => {
  const { gate, got, connect } = await startPair();
  const socket = await connect();
  await ask(socket, Buffer.from("first "));
  gate.partition("responses");
  const reply = ask(socket, COMMIT);
  await expect.poll(got).toBe(`first ${COMMIT.toString("latin1")}`);
  socket.destroy();
  expect(await reply).toBe("closed");
  gate.heal();
  await expect.poll(() => gate.hangUp()).toBe(0);
});

test("data of a client that gave up during a partition arrives afterwards, unless its connection was lost", async () => {
  for (const [ending, heard] of [
    ["delivered", `first ${COMMIT.toString("latin1")}`],
    ["lost", "first "],
  ] as const) {
    const { gate, got, connect } = await startPair();
    const socket = await connect();
    await ask(socket, Buffer.from("first "));
    gate.partition("both");
    const reply = ask(socket, COMMIT);
    socket.end();
    gate.rejoin(ending);
    await reply;
    await expect.poll(() => gate.hangUp()).toBe(0);
    expect(got(), ending).toBe(heard);
  }
});

test("a forgotten connection carries nothing any more, and new ones work", async () => {
  const { gate, got, connect } = await startPair();
  const socket = await connect();
  await ask(socket, Buffer.from("first "));
  gate.partition("both");
  let isEnded = false;
  void ask(socket, COMMIT).then(() => {
    isEnded = true;
  });
  gate.rejoin("forgotten");
  expect(await ask(await connect(), Buffer.from("new"))).toBe(READY.toString("latin1"));
  expect(got()).toBe("first new");
  expect(isEnded).toBe(false);
});
