/** Tests of sends that a worker makes, with the permission that it has read, while a message centre throttles us. */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { accept, type OnSubmit, openCentre as openScripted, refuse } from "@/test/carriers/smsc-scripted";
import { stubProviderEnv } from "@/test/providers/plain-provider";
import { healthSignalOf } from "../health/breaker";
import type { SendOutcome } from "../port";
import { createSmppAdapter, type SmppAdapter, type SmppOptions } from "./adapter";
import { smppSettings } from "./settings";

const THROTTLED = 0x58;
const AT_ONCE = 60;
const PERMISSION_MS = 1_000;

beforeAll(stubProviderEnv);

async function openCentre(onSubmit: OnSubmit = accept) {
  const centre = await openScripted(onSubmit);
  onTestFinished(centre.close);
  return centre;
}

/** A bind with room in its window for everything that a test sends. */
async function open(url: string, settings: Record<string, string> = {}, options: SmppOptions = {}) {
  const parsed = smppSettings.parse({ url, systemId: "we", password: "secret", window: `${AT_ONCE}`, ...settings });
  const fast = { responseTimeoutMs: 2_000, backOff: { minMs: 5, maxMs: 40 } };
  const adapter = createSmppAdapter(parsed, { take: async () => undefined }, { ...fast, ...options });
  onTestFinished(adapter.close);
  await expect.poll(adapter.isBound).toBe(true);
  return adapter;
}

/** @param renew whether the message may still be sent when that is asked again. `isOver`: the permission has run out. */
function send(adapter: SmppAdapter, renew = async () => true, isOver = false): Promise<SendOutcome> {
  const message = {
    id: "msg_1",
    to: "+491511234567",
    from: "Shop",
    body: "hi",
    encoding: "GSM-7",
    segments: 1,
  } as const;
  const untilMs = performance.now() + (isOver ? -1 : PERMISSION_MS);
  const permission = {
    untilMs,
    renew: async () => ((await renew()) ? performance.now() + PERMISSION_MS : null),
  };
  return adapter.send({ message, reference: "msg_1-1", receiptUrl: "http://127.0.0.1/receipts", permission });
}

const isNotMade = (outcome: SendOutcome): boolean => outcome.kind === "retryable" && outcome.isNotMade === true;
const isAccepted = (outcome: SendOutcome): boolean => outcome.kind === "accepted";

/** Takes two submits a second, of which the first two come at once. */
function twoPerSecond(): OnSubmit {
  let allowed = 2;
  const timer = setInterval(() => {
    allowed = Math.min(allowed + 1, 2);
  }, 500);
  onTestFinished(() => clearInterval(timer));
  return (...submit) => {
    if (allowed > 0) {
      allowed -= 1;
      accept(...submit);
    } else refuse(THROTTLED)(...submit);
  };
}

describe("sends begun together at a centre that takes two a second", () => {
  it("end as not made when their turn is far away, and count as no failure", async () => {
    const centre = await openCentre(twoPerSecond());
    const adapter = await open(centre.url);
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => send(adapter)));
    const notMade = outcomes.filter(isNotMade);
    // All the same are written once: nothing was known of a limit by then.
    expect(notMade.length).toBeGreaterThan(AT_ONCE / 2);
    expect(notMade.length + outcomes.filter(isAccepted).length).toBe(AT_ONCE);
    expect(notMade.map(healthSignalOf)).toEqual(notMade.map(() => null));
  });

  it("are begun no more than it lets out", async () => {
    const centre = await openCentre(twoPerSecond());
    const adapter = await open(centre.url);
    expect(adapter.limitNow?.()).toBe(AT_ONCE);
    await Promise.all(Array.from({ length: AT_ONCE }, () => send(adapter)));
    expect(adapter.limitNow?.()).toBeLessThan(AT_ONCE / 2);
    const before = centre.submits.length;
    const more = await Promise.all(Array.from({ length: AT_ONCE }, () => send(adapter)));
    expect(more.filter(isNotMade).length).toBeGreaterThan(0);
    expect(centre.submits.length - before).toBeLessThan(AT_ONCE / 2);
  });
});

describe("a throttled send", () => {
  it("is tried again", async () => {
    const centre = await openCentre((...submit) => (submit[2] === 1 ? refuse(THROTTLED) : accept)(...submit));
    const adapter = await open(centre.url);
    expect(await send(adapter)).toEqual({ kind: "accepted", providerMessageIds: ["a2"] });
  });

  it("falls back after a few tries, although others are begun as there is room for them", async () => {
    const centre = await openCentre(refuse(THROTTLED));
    const adapter = await open(centre.url);
    const ended: SendOutcome[] = [];
    let begun = 0;
    const fallenBack = () => ended.filter((outcome) => !isNotMade(outcome));
    while (fallenBack().length === 0) {
      if (begun - ended.length < (adapter.limitNow?.() ?? 0)) {
        begun += 1;
        void send(adapter).then((outcome) => ended.push(outcome));
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(fallenBack()[0]).toMatchObject({ kind: "retryable", code: "0x58", fault: "throttled" });
  });

  it("is not tried again when the message must not be sent any more", async () => {
    const centre = await openCentre(refuse(THROTTLED));
    const adapter = await open(centre.url);
    // From then on its next turn comes when the permission of the first has run out.
    await send(adapter);
    const before = centre.submits.length;
    expect(isNotMade(await send(adapter, async () => false))).toBe(true);
    expect(centre.submits.length - before).toBeLessThan(2);
  });
});

describe("a send whose permission has run out", () => {
  it("asks again before it is written", async () => {
    const centre = await openCentre();
    const adapter = await open(centre.url);
    const writtenBefore: number[] = [];
    const renew = async () => {
      writtenBefore.push(centre.submits.length);
      return true;
    };
    expect(await send(adapter, renew, true)).toMatchObject({ kind: "accepted" });
    expect(writtenBefore).toEqual([0]);
  });

  it("is not made when the message must not be sent any more, and leaves its place to others", async () => {
    const centre = await openCentre();
    const adapter = await open(centre.url, { window: "1" });
    expect(isNotMade(await send(adapter, async () => false, true))).toBe(true);
    expect(centre.submits).toHaveLength(0);
    expect(await send(adapter)).toMatchObject({ kind: "accepted" });
  });
});

describe("a full window", () => {
  it("ends further sends as not made, though a response may still make room", async () => {
    const waiting: Array<() => void> = [];
    const centre = await openCentre((...submit) => waiting.push(() => accept(...submit)));
    const adapter = await open(centre.url, { window: "1" }, { responseTimeoutMs: 60_000 });
    const first = send(adapter);
    await expect.poll(() => waiting.length).toBe(1);
    expect(isNotMade(await send(adapter))).toBe(true);
    const second = send(adapter);
    waiting[0]?.();
    expect(await first).toMatchObject({ kind: "accepted" });
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    expect(await second).toMatchObject({ kind: "accepted" });
    expect(centre.submits).toHaveLength(2);
  });
});
