import { once } from "node:events";
import type { AddressInfo } from "node:net";
import smpp from "smpp";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openSession, type SessionOptions } from "./smpp-session";

const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
beforeAll(() => {
  vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
  vi.stubEnv("SECRET_KEY", "0".repeat(32));
  vi.stubEnv("LOG_LEVEL", "silent");
});

/** A bind to a message centre on loopback, and what the centre has seen. */
async function openBind(options: Partial<SessionOptions> = {}) {
  const seen = { commands: [] as string[], sessions: [] as smpp.Session[], answersEnquiries: true };
  const server = smpp.createServer((session) => {
    seen.sessions.push(session);
    session.on("error", () => session.destroy());
    session.on("pdu", (pdu: smpp.PDU) => {
      seen.commands.push(pdu.command);
      const isMute = pdu.command === "enquire_link" && !seen.answersEnquiries;
      if (!pdu.isResponse() && !isMute) session.send(pdu.response());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close());
  const session = openSession({
    target: { host: "127.0.0.1", port: (server.address() as AddressInfo).port, isSecure: false },
    bind: { system_id: "we", password: "secret" },
    window: 10,
    responseTimeoutMs: 2_000,
    bindTimeoutMs: 2_000,
    enquireLinkMs: 30_000,
    enquireTimeoutMs: 200,
    drainMs: 500,
    backOff: { minMs: 5, maxMs: 40 },
    deliver: async () => undefined,
    onChange: () => undefined,
    ...options,
  });
  closers.push(session.close);
  const times = (command: string) => seen.commands.filter((other) => other === command).length;
  await expect.poll(session.isBound).toBe(true);
  return { session, seen, times };
}

describe("a bind", () => {
  it("is left when enquire_link is not answered, and kept when it is", async () => {
    const { session, seen, times } = await openBind({ enquireLinkMs: 10 });
    await expect.poll(() => times("enquire_link")).toBeGreaterThan(3);
    expect(times("bind_transceiver")).toBe(1);
    seen.answersEnquiries = false;
    await expect.poll(() => times("bind_transceiver")).toBe(2);
    seen.answersEnquiries = true;
    await expect.poll(session.isBound).toBe(true);
  });

  it.each([
    ["the centre unbinds", (centre: smpp.Session) => centre.unbind({}, () => centre.close())],
    ["the centre hangs up", (centre: smpp.Session) => centre.destroy()],
    ["it talks nonsense", (centre: smpp.Session) => centre.socket.write(Buffer.alloc(16, 0xff))],
    ["it sends a PDU without a length", (centre: smpp.Session) => centre.socket.write(Buffer.alloc(16))],
  ])("is sought again when %s", async (_title, disturb) => {
    const { session, seen, times } = await openBind();
    for (const centre of seen.sessions) disturb(centre);
    await expect.poll(() => times("bind_transceiver")).toBe(2);
    await expect.poll(session.isBound).toBe(true);
    expect(session.room()).toBe(10);
  });

  it("answers enquire_link, and what it does not know by generic_nack", async () => {
    const { session, seen, times } = await openBind();
    seen.sessions[0]?.enquire_link({});
    seen.sessions[0]?.send(new smpp.PDU("query_sm", { sequence_number: 77 }));
    await expect.poll(() => seen.commands.slice(1)).toEqual(["enquire_link_resp", "generic_nack"]);
    expect(session.isBound()).toBe(true);
    expect(times("bind_transceiver")).toBe(1);
  });

  it("makes a centre wait that delivers faster than is taken, and answers everything in the end", async () => {
    const held: Array<() => void> = [];
    const { seen, times } = await openBind({ deliver: () => new Promise((resolve) => held.push(resolve)) });
    const text = Buffer.alloc(250, 0x61);
    for (let i = 0; i < 2_000; i++) seen.sessions[0]?.deliver_sm({ data_coding: 0, short_message: text });
    let before = 0;
    const isStill = () => {
      const hasStopped = held.length === before && before >= 200;
      before = held.length;
      return hasStopped;
    };
    await expect.poll(isStill).toBe(true);
    expect(held.length).toBeLessThan(1_000);
    const releaseAll = () => {
      for (const release of held.splice(0)) release();
      return times("deliver_sm_resp");
    };
    await expect.poll(releaseAll, { interval: 5 }).toBe(2_000);
    expect(times("bind_transceiver")).toBe(1);
  });

  it("is not sought again once it is closed", async () => {
    const { session, seen } = await openBind();
    await session.close();
    expect(seen.commands).toEqual(["bind_transceiver", "unbind"]);
    expect([session.isBound(), session.room()]).toEqual([false, 0]);
  });
});
