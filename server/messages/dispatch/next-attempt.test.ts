import { expect, test } from "vitest";
import type { Adapter } from "../../providers/port";
import { beginsAtOnce } from "./next-attempt";

const adapter: Adapter = { id: "smpp", maxInFlight: 1, send: () => Promise.reject(new Error("No call is made here.")) };
const ready = () => Promise.resolve(null);

test.each([
  ["needs no connection", adapter, true],
  ["has its connection", { ...adapter, ready, isReady: () => true }, true],
  ["has none at the moment", { ...adapter, ready, isReady: () => false }, false],
  ["cannot tell", { ...adapter, ready }, false],
])(
  "an attempt through an adapter that %s begins at the right moment: with its claim, or once the call can be written",
  (_, at, begins) => {
    expect(beginsAtOnce(at)).toBe(begins);
  },
);
