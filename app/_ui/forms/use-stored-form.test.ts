import { expect, test } from "vitest";
import { following } from "./use-stored-form";

test("edited values stay, and all others follow the stored ones", () => {
  const values = { low_balance: 5, by_mail: true, url: "" };
  const stored = { low_balance: 25, by_mail: false, url: "https://example.com" };
  expect(following(values, stored, (name) => name === "by_mail")).toEqual({ ...stored, by_mail: true });
  expect(following(values, stored, () => false)).toEqual(stored);
  expect(following(values, stored, () => true)).toEqual(values);
});
