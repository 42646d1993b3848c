import net from "node:net";
import { Duplex } from "node:stream";
import smpp from "smpp";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { deliver, openCentre, receiptOf } from "@/test/carriers/smsc-scripted";
import { stubProviderEnv } from "@/test/providers/plain-provider";
import { openSession, type SessionOptions } from "./session";
import { encodePdu } from "./wire";

beforeAll(stubProviderEnv);

function openTo(port: number, options: Partial<SessionOptions> = {}) {
  const session = openSession({
    target: { host: "127.0.0.1", port, isSecure: false },
    command: "bind_transceiver",
    bind: { system_id: "we", password: "secret" },
    window: 10,
    responseTimeoutMs: 2_000,
    bindTimeoutMs: 2_000,
    enquireLinkMs: 30_000,
    enquireTimeoutMs: 200,
    unbindTimeoutMs: 500,
    backOff: { minMs: 5, maxMs: 40 },
    deliver: async () => undefined,
    onChange: () => undefined,
    ...options,
  });
  onTestFinished(session.close);
  return session;
}

/** A bind to a message centre on loopback, and the centre. */
async function openBind(options: Partial<SessionOptions> = {}) {
  const centre = await openCentre();
  onTestFinished(centre.close);
  const session = openTo(centre.port, options);
  await expect.poll(session.isBound).toBe(true);
  return { session, centre };
}

describe("a bind", () => {
  it("is dropped when enquire_link gets no response, and kept otherwise", async () => {
    const { session, centre } = await openBind({ enquireLinkMs: 10 });
    await expect.poll(() => centre.times("enquire_link")).toBeGreaterThan(3);
    expect(centre.times("bind_transceiver")).toBe(1);
    centre.respondsToEnquiries = false;
    await expect.poll(() => centre.times("bind_transceiver")).toBe(2);
    centre.respondsToEnquiries = true;
    await expect.poll(session.isBound).toBe(true);
  });

  it.each([
    ["the centre unbinds", (peer: smpp.Session) => peer.unbind({}, () => peer.close())],
    ["the centre hangs up", (peer: smpp.Session) => peer.destroy()],
    ["it sends garbage", (peer: smpp.Session) => peer.socket.write(Buffer.alloc(16, 0xff))],
    ["it sends a PDU without a length", (peer: smpp.Session) => peer.socket.write(Buffer.alloc(16))],
  ])("is made again when %s", async (_title, disturb) => {
    const { session, centre } = await openBind();
    for (const opened of centre.sessions) disturb(opened);
    await expect.poll(() => centre.times("bind_transceiver")).toBe(2);
    await expect.poll(session.isBound).toBe(true);
    expect(session.capacity()).toBe(10);
  });

  it("responds to enquire_link, and to unknown requests with generic_nack", async () => {
    const { session, centre } = await openBind();
    centre.sessions[0]?.enquire_link({});
    centre.sessions[0]?.send(new smpp.PDU("query_sm", { sequence_number: 77 }));
    await expect.poll(() => centre.commands.slice(1)).toEqual(["enquire_link_resp", "generic_nack"]);
    expect(session.isBound()).toBe(true);
    expect(centre.times("bind_transceiver")).toBe(1);
  });

  it("takes up to 1,000 concurrent deliveries, refuses the others, and continues reading", async () => {
    const waiting: Array<() => void> = [];
    const { session, centre } = await openBind({ deliver: () => new Promise((resolve) => waiting.push(resolve)) });
    const statuses: number[] = [];
    for (let at = 0; at < 2_000; at++) {
      void deliver(centre.sessions[0], receiptOf(`${at}`)).then((answer) => statuses.push(answer.command_status));
    }
    await expect.poll(() => statuses.length).toBe(1_000);
    expect(new Set(statuses)).toEqual(new Set([smpp.errors.ESME_RMSGQFUL]));
    expect(waiting).toHaveLength(1_000);
    const permission = { holds: () => true, renew: async () => true };
    const submitted = session.reserve().submit({ short_message: Buffer.from("hi") }, permission);
    expect(await submitted).toMatchObject({ kind: "response", status: 0 });
    for (const release of waiting) release();
    await expect.poll(() => statuses.length).toBe(2_000);
    expect(new Set(statuses.slice(1_000))).toEqual(new Set([0]));
    expect(centre.binds).toHaveLength(1);
  });

  it("is not made again once it is closed", async () => {
    const { session, centre } = await openBind();
    await session.close();
    expect(centre.commands).toEqual(["bind_transceiver", "unbind"]);
    expect([session.isBound(), session.capacity()]).toEqual([false, 0]);
  });

  it("takes no more submits once the centre has begun to hang up", async () => {
    const centre = await openCentre();
    onTestFinished(centre.close);
    // Reads nothing that is written after the bind, so that the connection stays half open.
    const socket = new Duplex({ allowHalfOpen: false, read: () => undefined, write: () => undefined });
    vi.spyOn(net, "connect").mockReturnValueOnce(Object.assign(socket, { setNoDelay: () => socket }) as never);
    const session = openTo(centre.port);
    socket.push(encodePdu("bind_transceiver_resp", { sequence_number: 1, system_id: "centre" }));
    await expect.poll(session.isBound).toBe(true);
    socket.push(null);
    await new Promise((resolve) => socket.once("end", resolve));
    expect([session.isBound(), session.capacity()]).toEqual([false, 0]);
    await expect.poll(session.isBound).toBe(true);
    expect(centre.binds).toHaveLength(1);
  });
});
