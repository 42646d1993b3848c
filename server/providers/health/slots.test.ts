import { expect, test } from "vitest";
import type { Adapter } from "../port";
import { acquireSlots, hasManyWaiting, slotsInUse, waitForSlot } from "./slots";

let providers = 0;
const provider = (maxInFlight: number): Adapter => {
  providers += 1;
  const send = () => Promise.reject(new Error("Nobody is called here."));
  return { id: `slots-${providers}` as Adapter["id"], maxInFlight, send };
};

test("no more slots are granted than the provider's limit", async () => {
  const limited = provider(3);
  expect(await acquireSlots(limited, 2, 0)).toHaveLength(2);
  expect(await acquireSlots(limited, 5, 0)).toHaveLength(1);
  expect(await acquireSlots(limited, 1, 0)).toHaveLength(0);
  expect(slotsInUse(limited)).toBe(3);
});

test("a slot that is released twice counts once", async () => {
  const limited = provider(2);
  const [first] = await acquireSlots(limited, 2, 0);
  first?.release();
  first?.release();
  expect(slotsInUse(limited)).toBe(1);
});

test("if none is free it waits for the first, up to its timeout", async () => {
  const limited = provider(1);
  const [held] = await acquireSlots(limited, 1, 0);
  expect(await acquireSlots(limited, 1, 10)).toHaveLength(0);
  const waiting = acquireSlots(limited, 1, 60_000);
  held?.release();
  expect(await waiting).toHaveLength(1);
});

test("claimed messages get slots in order, before all others", async () => {
  const limited = provider(1);
  const [held] = await acquireSlots(limited, 1, 0);
  const order: string[] = [];
  const unclaimed = acquireSlots(limited, 1, 60_000).then(([slot]) => {
    order.push("unclaimed");
    slot?.release();
  });
  const claimed = ["first", "second"].map((name) =>
    waitForSlot(limited).then((slot) => {
      order.push(name);
      slot.release();
    }),
  );
  held?.release();
  await Promise.all([...claimed, unclaimed]);
  expect(order).toEqual(["first", "second", "unclaimed"]);
  expect(slotsInUse(limited)).toBe(0);
});

test("a raised limit takes effect at once", async () => {
  const limited = provider(1);
  expect(await acquireSlots(limited, 3, 0)).toHaveLength(1);
  limited.maxInFlight = 3;
  expect(await acquireSlots(limited, 3, 0)).toHaveLength(2);
});

test("an adapter that could make fewer calls at the moment gets fewer slots, but at least one", async () => {
  let now = 2;
  const limited = { ...provider(3), limitNow: () => now };
  const slots = await acquireSlots(limited, 3, 0);
  expect(slots).toHaveLength(2);
  now = 0;
  const waiting = waitForSlot(limited);
  expect(hasManyWaiting(limited.id)).toBe(true);
  for (const slot of slots) slot.release();
  (await waiting).release();
  now = Number.POSITIVE_INFINITY;
  expect(await acquireSlots(limited, 5, 0)).toHaveLength(3);
});

test("many claimed messages wait once they are as many as the provider's limit", async () => {
  const limited = provider(2);
  expect(hasManyWaiting(limited.id)).toBe(false);
  const held = await acquireSlots(limited, 2, 0);
  const waiting = [waitForSlot(limited)];
  expect(hasManyWaiting(limited.id)).toBe(false);
  waiting.push(waitForSlot(limited));
  expect(hasManyWaiting(limited.id)).toBe(true);
  held[0]?.release();
  await waiting[0];
  expect(hasManyWaiting(limited.id)).toBe(false);
});
