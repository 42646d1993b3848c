/**
 * Tests of the adapter under load: stalls of this process, floods of receipts, throttling, and changing settings.
 */

import smpp from "smpp";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  accept,
  deliver,
  type OnSubmit,
  openCentre as openScripted,
  receiptOf,
  refuse,
} from "@/test/carriers/smsc-scripted";
import { moveClockAhead } from "@/test/clock";
import { stallFor, standStill } from "@/test/network/stalls";
import { stubProviderEnv } from "@/test/providers/plain-provider";
import { healthSignalOf } from "../health/breaker";
import type { SendOutcome } from "../port";
import { createSmppAdapter, type Sink, type SmppAdapter, type SmppOptions } from "./adapter";
import { smppSettings } from "./settings";

const THROTTLED = 0x58;
const QUEUE_FULL = 0x14;
const TWO_PARTS = "a".repeat(200);

beforeAll(stubProviderEnv);

async function openCentre(onSubmit: OnSubmit = accept) {
  const centre = await openScripted(onSubmit);
  onTestFinished(centre.close);
  return centre;
}

function open(url: string, options: SmppOptions = {}, settings: Record<string, string> = {}, sink?: Sink): SmppAdapter {
  const parsed = smppSettings.parse({ url, systemId: "we", password: "secret", ...settings });
  const fast = { responseTimeoutMs: 2_000, bindWaitMs: 1_000, backOff: { minMs: 5, maxMs: 40 } };
  const adapter = createSmppAdapter(parsed, sink ?? { take: async () => undefined }, { ...fast, ...options });
  onTestFinished(adapter.close);
  return adapter;
}

const send = (adapter: SmppAdapter, body = "hi"): Promise<SendOutcome> => {
  const message = { id: "msg_1", to: "+491511234567", from: "Shop", body, encoding: "GSM-7" as const, segments: 1 };
  return adapter.send({ message, reference: "msg_1-1", receiptUrl: "http://127.0.0.1/receipts" });
};
const bound = (adapter: SmppAdapter) => expect.poll(adapter.isBound).toBe(true);
const accepted = (...providerMessageIds: string[]) => ({ kind: "accepted", providerMessageIds });

describe("a stall of this process", () => {
  it("does not lose a response that has arrived", async () => {
    const centre = await openCentre((...submit) => {
      accept(...submit);
      standStill(900);
    });
    const adapter = open(centre.url, { responseTimeoutMs: 300 });
    await bound(adapter);
    expect(await send(adapter)).toEqual(accepted("a1"));
  });

  it("does not end a bind whose enquire_link got a response, nor lose its outstanding submits", async () => {
    const centre = await openCentre(() => undefined);
    const adapter = open(centre.url, { enquireLinkMs: 20, enquireTimeoutMs: 200, responseTimeoutMs: 5_000 });
    await bound(adapter);
    const sent = send(adapter);
    await expect.poll(() => centre.submits.length).toBe(1);
    centre.afterResponse = () => {
      centre.afterResponse = () => undefined;
      standStill(700);
    };
    const before = centre.times("enquire_link");
    await expect.poll(() => centre.times("enquire_link")).toBeGreaterThan(before + 2);
    const [submitted] = centre.submits;
    const [session] = centre.sessions;
    if (submitted && session) accept(submitted, session, 1);
    expect(await sent).toEqual(accepted("a1"));
    expect(centre.binds).toHaveLength(1);
  });

  it("does not give up a bind that got its response, nor the messages that wait for it", async () => {
    const centre = await openCentre();
    centre.afterResponse = () => standStill(900);
    const adapter = open(centre.url, { bindTimeoutMs: 300, bindWaitMs: 300 });
    expect(await send(adapter)).toEqual(accepted("a1"));
    expect(centre.binds).toHaveLength(1);
  });
});

describe("a stall of this process that costs the bind", () => {
  it("does not count against the centre: an outstanding submit is unknown", async () => {
    const centre = await openCentre((_pdu, session) => {
      standStill(700);
      session.destroy();
    });
    const lost = await send(open(centre.url));
    expect(lost).toMatchObject({ kind: "unknown", code: "connection_lost" });
    expect(healthSignalOf(lost)).toBeNull();
    centre.onSubmit = () => standStill(700);
    const late = await send(open(centre.url, { responseTimeoutMs: 100 }));
    expect(late).toMatchObject({ kind: "unknown", code: "timeout" });
    expect(healthSignalOf(late)).toBeNull();
  });

  it("does not count against the centre while there is no bind", async () => {
    const centre = await openCentre();
    await centre.close();
    const adapter = open(centre.url, { bindWaitMs: 100 });
    for (const work of [() => send(adapter), adapter.ready]) {
      const unbound = work();
      await stallFor(700);
      const outcome = await unbound;
      // Treated like throttling, so that a message without another provider is tried again.
      expect(outcome).toMatchObject({ kind: "retryable", code: "not_bound", fault: "throttled" });
      expect(outcome && healthSignalOf(outcome)).toBeNull();
    }
  });
});

describe("a long stall of this process", () => {
  it("prevents submits that others may have made meanwhile, and the centre may be tried again", async () => {
    const centre = await openCentre((...submit) => {
      refuse(THROTTLED)(...submit);
      moveClockAhead(15_000);
    });
    const adapter = open(centre.url);
    await bound(adapter);
    const outcome = await send(adapter);
    expect(outcome).toMatchObject({ kind: "retryable", code: "not_bound", fault: "throttled" });
    expect(healthSignalOf(outcome)).toBeNull();
    expect(centre.submits).toHaveLength(1);
  });
});

describe("more receipts than can be taken", () => {
  it("are returned to the centre, while reading continues", async () => {
    const waiting: Array<() => void> = [];
    const centre = await openCentre();
    const sink = { take: () => new Promise<void>((resolve) => waiting.push(resolve)) };
    const adapter = open(centre.url, { enquireLinkMs: 20, enquireTimeoutMs: 300 }, {}, sink);
    await bound(adapter);
    const answers = Array.from({ length: 1_050 }, (_, at) => deliver(centre.sessions[0], receiptOf(`${at}`)));
    await expect.poll(() => waiting.length).toBe(1_000);

    const surplus = await Promise.all(answers.slice(1_000));
    expect(new Set(surplus.map((answer) => answer.command_status))).toEqual(new Set([QUEUE_FULL]));
    expect(await send(adapter)).toEqual(accepted("a1"));
    for (const release of waiting.splice(0)) release();
    const taken = await Promise.all(answers.slice(0, 1_000));
    expect(taken.every((answer) => answer.command_status === 0)).toBe(true);

    const again = deliver(centre.sessions[0], receiptOf("1049"));
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]?.();
    expect((await again).command_status).toBe(0);
    expect(centre.binds).toHaveLength(1);
  });
});

describe("a later part", () => {
  it("that is throttled many times is eventually sent", async () => {
    const centre = await openCentre((...submit) =>
      (submit[2] > 1 && submit[2] < 9 ? refuse(THROTTLED) : accept)(...submit),
    );
    const adapter = open(centre.url, { responseTimeoutMs: 30_000 });
    expect(await send(adapter, TWO_PARTS)).toEqual(accepted("a1", "a9"));
  });

  it("that is throttled beyond the deadline of the message is lost", async () => {
    const centre = await openCentre((...submit) => (submit[2] > 1 ? refuse(THROTTLED) : accept)(...submit));
    const adapter = open(centre.url, { responseTimeoutMs: 500 });
    const outcome = await send(adapter, TWO_PARTS);
    expect(outcome).toMatchObject({ ...accepted("a1"), lost: { code: "0x58" } });
    expect(centre.submits.length).toBeGreaterThan(4);
  });

  it("waits for the next bind when its own was lost", async () => {
    const centre = await openCentre((...submit) => {
      // Before the response; otherwise the second part might still be sent over this bind.
      if (submit[2] === 1) submit[1].unbind({}, () => submit[1].close());
      accept(...submit);
    });
    const adapter = open(centre.url, { bindWaitMs: 10, backOff: { minMs: 400, maxMs: 400 } });
    await bound(adapter);
    expect(await send(adapter, TWO_PARTS)).toEqual(accepted("a1", "a2"));
    expect(centre.binds).toHaveLength(2);
  });

  it("reserves no capacity while it waits", async () => {
    const others = new Set<string>();
    const centre = await openCentre((pdu, session, place) => {
      const { destination_addr: to, esm_class: isPart } = pdu;
      const isLater = isPart === 0x40 && place > 1 && others.size < 3;
      if (isPart !== 0x40) others.add(String(to) + place);
      (isLater ? refuse(THROTTLED) : accept)(pdu, session, place);
    });
    const adapter = open(centre.url, { responseTimeoutMs: 30_000 }, { window: "1" });
    const long = send(adapter, TWO_PARTS);
    await expect.poll(() => centre.submits.length).toBeGreaterThan(1);
    for (let count = 0; count < 3; count++) expect(await send(adapter)).toMatchObject({ kind: "accepted" });
    expect(await long).toMatchObject({ kind: "accepted" });
    expect(await long).not.toHaveProperty("lost");
  });

  it("without a response leaves the ids of the taken parts", async () => {
    const centre = await openCentre((...submit) => submit[2] === 1 && accept(...submit));
    const adapter = open(centre.url, { responseTimeoutMs: 100 });
    expect(await send(adapter, TWO_PARTS)).toMatchObject({ kind: "unknown", code: "timeout", taken: ["a1"] });
    expect(await send(adapter)).not.toHaveProperty("taken");
  });
});

describe("closing", () => {
  it("waits for responses until their timeout, and takes nothing new", async () => {
    const waiting: Array<() => void> = [];
    const centre = await openCentre((...submit) => waiting.push(() => accept(...submit)));
    const adapter = open(
      centre.url,
      { responseTimeoutMs: 20_000, unbindTimeoutMs: 50 },
      {
        window: "2",
      },
    );
    await bound(adapter);
    const sends = [send(adapter), send(adapter), send(adapter)];
    await expect.poll(() => waiting.length).toBe(2);
    const closed = adapter.close();
    // It had reserved no bind yet, so another provider may send it; the centre itself works.
    expect(await sends[2]).toMatchObject({ kind: "retryable", fault: "throttled" });
    expect(await send(adapter)).toMatchObject({ kind: "retryable", fault: "throttled" });
    setTimeout(() => {
      for (const release of waiting) release();
    }, 1_000);
    expect(await Promise.all(sends.slice(0, 2))).toEqual([accepted("a1"), accepted("a2")]);
    await closed;
    expect(centre.commands).toEqual(["bind_transceiver", "submit_sm", "submit_sm", "unbind"]);
  });

  it("sends the later parts of messages that have begun", async () => {
    const waiting: Array<() => void> = [];
    const centre = await openCentre((...submit) => waiting.push(() => accept(...submit)));
    const adapter = open(centre.url);
    const sent = send(adapter, TWO_PARTS);
    await expect.poll(() => waiting.length).toBe(1);
    const closed = adapter.close();
    waiting[0]?.();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    expect(await sent).toEqual(accepted("a1", "a2"));
    await closed;
    expect(centre.commands.at(-1)).toBe("unbind");
  });

  it("ends although the centre never responds", async () => {
    const centre = await openCentre(() => undefined);
    const adapter = open(centre.url, { responseTimeoutMs: 200, unbindTimeoutMs: 50 });
    const sent = send(adapter);
    await expect.poll(() => centre.submits.length).toBe(1);
    await adapter.close();
    expect(await sent).toMatchObject({ kind: "unknown", code: "timeout" });
    expect(adapter.isBound()).toBe(false);
  });

  it("leaves deliveries that arrive meanwhile to the next bind", async () => {
    const waiting: Array<() => void> = [];
    const centre = await openCentre();
    const sink = { take: () => new Promise<void>((resolve) => waiting.push(resolve)) };
    const adapter = open(centre.url, {}, {}, sink);
    await bound(adapter);
    const first = deliver(centre.sessions[0], receiptOf("1"));
    await expect.poll(() => waiting.length).toBe(1);
    const closed = adapter.close();
    await expect.poll(async () => (await deliver(centre.sessions[0], receiptOf("2"))).command_status).toBe(QUEUE_FULL);
    waiting[0]?.();
    expect((await first).command_status).toBe(0);
    await closed;
    expect(centre.commands.at(-1)).toBe("unbind");
  });
});

describe("the centre unbinds", () => {
  it("while outstanding submits wait for their response and the next bind is made", async () => {
    const waiting: Array<() => void> = [];
    const centre = await openCentre((...submit) => waiting.push(() => accept(...submit)));
    const adapter = open(centre.url, { responseTimeoutMs: 20_000, unbindTimeoutMs: 50 });
    const sent = send(adapter);
    await expect.poll(() => waiting.length).toBe(1);
    centre.sessions[0]?.unbind({}, () => undefined);
    await expect.poll(() => centre.binds.length).toBe(2);
    waiting[0]?.();
    expect(await sent).toEqual(accepted("a1"));
  });
});

describe("ready", () => {
  const ready = (adapter: SmppAdapter) => adapter.ready?.() ?? Promise.reject(new Error("There is no such step."));

  it("is true for a bind with capacity, and reserves none", async () => {
    const centre = await openCentre();
    const adapter = open(centre.url, {}, { window: "1" });
    expect(await Promise.all([ready(adapter), ready(adapter)])).toEqual([null, null]);
    expect(await send(adapter)).toEqual(accepted("a1"));
  });

  it("reports a missing bind, a refused account and a closed adapter", async () => {
    const centre = await openCentre();
    centre.bindStatus = smpp.errors.ESME_RINVPASWD ?? 0;
    const refused = open(centre.url, { bindWaitMs: 10_000 });
    expect(await ready(refused)).toMatchObject({ kind: "retryable", code: "0x0e", fault: "account" });
    await centre.close();
    const alone = open(centre.url, { bindWaitMs: 50 });
    expect(await ready(alone)).toMatchObject({ kind: "retryable", code: "not_bound", fault: "provider" });
    await alone.close();
    expect(await ready(alone)).toMatchObject({ kind: "retryable", fault: "throttled" });
  });

  it("waits for capacity, and does not blame a centre without any", async () => {
    const waiting: Array<() => void> = [];
    const centre = await openCentre((...submit) => waiting.push(() => accept(...submit)));
    const adapter = open(centre.url, { bindWaitMs: 50 }, { window: "1" });
    expect(adapter.isReady?.()).toBe(false);
    await bound(adapter);
    expect(adapter.isReady?.()).toBe(true);
    const sent = send(adapter);
    await expect.poll(() => waiting.length).toBe(1);
    expect(await ready(adapter)).toMatchObject({ kind: "retryable", code: "centre_busy", fault: "throttled" });
    expect(adapter.isReady?.()).toBe(false);
    waiting[0]?.();
    await sent;
    expect(await ready(adapter)).toBeNull();
    await adapter.close();
    expect(adapter.isReady?.()).toBe(false);
  });

  it("waits for a bind whose response arrived during a stall", async () => {
    const centre = await openCentre();
    centre.afterResponse = () => standStill(900);
    expect(await ready(open(centre.url, { bindWaitMs: 300 }))).toBeNull();
  });
});
