/** Tests of message centres that misbehave when we connect. */
import net from "node:net";
import { Duplex } from "node:stream";
import smpp from "smpp";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { accept, openCentre as startCentre } from "@/test/carriers/smsc-scripted";
import { failLookUps, findAddresses } from "@/test/network/look-ups";
import { listenForTest, stubProviderEnv } from "@/test/providers/plain-provider";
import { healthSignalOf } from "../health/breaker";
import type { SendOutcome } from "../port";
import { createSmppAdapter, type SmppOptions } from "./adapter";
import { openConnection } from "./connection";
import { smppSettings } from "./settings";

const FAST: SmppOptions = {
  ...{ responseTimeoutMs: 2_000, bindTimeoutMs: 200, bindWaitMs: 1_000, unbindTimeoutMs: 500 },
  backOff: { minMs: 5, maxMs: 40 },
};

// A machine under load may stall this process too, which would then be blamed instead of the centre.
vi.mock(import("../../core/deadline"), async (load) => ({ ...(await load()), hasStalledSince: () => false }));

beforeAll(stubProviderEnv);

async function openCentre() {
  const centre = await startCentre();
  onTestFinished(centre.close);
  return centre;
}

/** Sends a message over binds to `url`. */
function send(url: string, settings: Record<string, string> = {}, options: SmppOptions = {}): Promise<SendOutcome> {
  const parsed = smppSettings.parse({ url, systemId: "we", password: "secret", ...settings });
  const adapter = createSmppAdapter(parsed, { take: async () => undefined }, { ...FAST, ...options });
  onTestFinished(adapter.close);
  const message = {
    id: "msg_1",
    to: "+491511234567",
    from: "Shop",
    body: "hi",
    encoding: "GSM-7" as const,
    segments: 1,
  };
  return adapter.send({ message, reference: "msg_1-1", receiptUrl: "http://127.0.0.1/receipts" });
}

const unbound = (providerDetail: string) => ({
  ...{ kind: "retryable", code: "not_bound", detail: "There is no bind to the message centre.", fault: "provider" },
  providerDetail,
});

describe("a bind that is not made leaves the message unsent, and operators see why", () => {
  it("because nothing listens", async () => {
    const centre = await openCentre();
    await centre.close();
    const reason = `Connect ECONNREFUSED 127.0.0.1:${centre.port}.`;
    expect(await send(centre.url)).toMatchObject(unbound(reason));
  });

  it("because nothing listens at any of its addresses", async () => {
    const centre = await openCentre();
    await centre.close();
    findAddresses("127.0.0.1", "127.0.0.2");
    const [one, other] = [
      `connect ECONNREFUSED 127.0.0.1:${centre.port}`,
      `connect ECONNREFUSED 127.0.0.2:${centre.port}`,
    ];
    expect(await send(`smpp://centre.example:${centre.port}`)).toMatchObject(unbound(`C${one.slice(1)}; ${other}.`));
  });

  it("because it gets no response, or one to something else", async () => {
    const centre = await openCentre();
    for (const command of [null, "enquire_link_resp", "generic_nack"]) {
      centre.respondToBind = ({ sequence_number }, session) => {
        if (command) session.send(new smpp.PDU(command, { sequence_number }));
      };
      expect(await send(centre.url), `${command}`).toMatchObject(unbound("No response to the bind."));
    }
    expect(centre.submits).toEqual([]);
  });

  it("because the port speaks something else", async () => {
    const port = await listenForTest(net.createServer((socket) => socket.write("220 welcome\r\n")));
    expect(await send(`smpp://127.0.0.1:${port}`)).toMatchObject(unbound("Not SMPP: a PDU of 842149920 octets."));
  });

  it("because it is refused with a status that does not concern our account", async () => {
    const centre = await openCentre();
    centre.bindStatus = 0x433;
    const reason = "Bind refused with 0x433: The message centre responded with its own status 0x433.";
    expect(await send(centre.url)).toMatchObject(unbound(reason));
  });

  it("because the centre throttles, which does not count as its failure", async () => {
    const centre = await openCentre();
    centre.bindStatus = 0x58;
    const outcome = await send(centre.url, { sessions: "2" });
    expect(outcome).toMatchObject({ kind: "retryable", code: "0x58", fault: "throttled" });
    expect(healthSignalOf(outcome)).toBeNull();
  });
});

describe("a bind that the centre accepts and immediately ends is not used", () => {
  it.each([
    ["hangs up", "Hung up by the message centre.", (session: smpp.Session) => session.socket.end()],
    ["unbinds", "Unbound by the message centre.", (session: smpp.Session) => session.unbind({})],
  ])("when it %s", async (_title, reason, end) => {
    const centre = await openCentre();
    const endNow = () => {
      for (const session of centre.sessions.slice(-1)) end(session);
    };
    centre.afterResponse = endNow;
    expect(await send(centre.url)).toMatchObject(unbound(reason));
    expect(centre.submits).toEqual([]);
    // The next bind lasts.
    centre.afterResponse = () => {
      if (centre.times("bind_transceiver") === 1) endNow();
    };
    centre.commands.length = 0;
    expect(await send(centre.url)).toMatchObject({ kind: "accepted" });
  });
});

it("a generic_nack with the status of a success does not take the message: its outcome is unknown", async () => {
  const centre = await openCentre();
  centre.onSubmit = ({ sequence_number }, session) => {
    session.send(new smpp.PDU("generic_nack", { sequence_number }));
  };
  expect(await send(centre.url, {}, { responseTimeoutMs: 100 })).toMatchObject({ kind: "unknown", code: "timeout" });
});

it("an id that is padded with spaces matches the receipts", async () => {
  const centre = await openCentre();
  centre.onSubmit = (pdu, session) => void session.send(pdu.response({ message_id: " 00AB  " }));
  expect(await send(centre.url)).toEqual({ kind: "accepted", providerMessageIds: ["ab"] });
  expect(await send(centre.url, { idRadix: "hex-to-decimal" })).toEqual({
    kind: "accepted",
    providerMessageIds: ["171"],
  });
});

describe("a connection that this machine cannot make", () => {
  const ours = (detail: string) => ({
    ...{ kind: "retryable", code: "not_bound", fault: "throttled", isOurStall: true },
    providerDetail: expect.stringContaining(detail),
  });

  it.each(["EMFILE", "EADDRNOTAVAIL"])("for lack of resources does not count against the centre (%s)", async (code) => {
    const spy = vi.spyOn(net, "connect").mockImplementation(() => {
      return new net.Socket().destroy(Object.assign(new Error(`connect ${code}`), { code }));
    });
    onTestFinished(() => spy.mockRestore());
    const outcome = await send("smpp://127.0.0.1:9");
    expect(outcome).toMatchObject(ours("no open files"));
    expect(healthSignalOf(outcome)).toBeNull();
  });

  // null: the look-up is not over when the time for a bind is.
  it.each(["EAI_AGAIN", "EBUSY", null])(
    "for lack of its address does not count against the centre (%s)",
    async (code) => {
      failLookUps(code);
      expect(await send("smpp://centre.example")).toMatchObject(ours("could not look up"));
    },
  );

  it("because there is no such name is the fault of the settings or the centre", async () => {
    failLookUps("ENOTFOUND");
    expect(await send("smpp://centre.example")).toMatchObject(unbound("Getaddrinfo ENOTFOUND centre.example."));
  });

  it("is made later if it fails at first", async () => {
    const centre = await openCentre();
    const failure = Object.assign(new Error("connect EMFILE"), { code: "EMFILE" });
    vi.spyOn(net, "connect").mockImplementationOnce(() => new net.Socket().destroy(failure));
    centre.onSubmit = accept;
    expect(await send(centre.url)).toMatchObject({ kind: "accepted" });
  });
});

it("a connection ends once the centre has hung up, even if it reads no more of our data", async () => {
  const socket = new Duplex({ allowHalfOpen: false, read: () => undefined, write: () => undefined });
  const spy = vi
    .spyOn(net, "connect")
    .mockReturnValueOnce(Object.assign(socket, { setNoDelay: () => socket }) as never);
  onTestFinished(() => spy.mockRestore());
  const connection = openConnection({ host: "127.0.0.1", port: 9, isSecure: false }, () => undefined);
  const result = connection.request("enquire_link", {}, 60_000);
  socket.push(null);
  expect(await result).toEqual({ kind: "lost" });
  expect(connection.over.reason).toBe("hung up by the message centre");
});
