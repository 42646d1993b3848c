import { expect, test } from "vitest";
import { isBounced } from "./bounce";

const refusal = (responseCode: number) => Object.assign(new Error("refused"), { responseCode });

test("a refusal of the mail server is for good when it says so, and not when it is about us", () => {
  expect([550, 553, 554].map((code) => isBounced(refusal(code)))).toEqual([true, true, true]);
  expect([421, 450, 451, 530, 535].map((code) => isBounced(refusal(code)))).toEqual(Array(5).fill(false));
  expect(isBounced(new Error("connect ECONNREFUSED"))).toBe(false);
  expect(isBounced({ responseCode: 550 })).toBe(false);
});
