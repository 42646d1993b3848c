import { expect, test } from "vitest";
import type { Route } from "./choose";
import { reachOf } from "./reach";

const route = (prefix: string, chain: string[], more: Partial<Route> = {}): Route => ({
  id: 1,
  prefix,
  priority: 0,
  chain,
  priceMicros: 10_000n,
  weight: 100,
  ...more,
});

const table = {
  isRoutable: (id: string) => ["twilio", "vonage", "plivo"].includes(id),
  isUnavailable: (id: string) => id !== "twilio",
};

test("messages wait where all configured providers of a prefix are unavailable", () => {
  const routes = [route("", ["twilio"]), route("49", ["vonage", "sinch"]), route("44", ["vonage", "twilio"])];
  expect(reachOf(routes, table)).toEqual({ isAnyConfigured: true, waiting: ["49"] });
});

test("a prefix without a configured provider waits for none: its numbers take a shorter prefix", () => {
  expect(reachOf([route("", ["twilio"]), route("49", ["sinch"])], table).waiting).toEqual([]);
});

test("of one prefix only the routes count that messages take", () => {
  const spare = route("49", ["twilio"], { priority: 1 });
  expect(reachOf([route("49", ["vonage"]), spare], table).waiting).toEqual(["49"]);
  expect(reachOf([route("49", ["vonage"]), { ...spare, priority: 0 }], table).waiting).toEqual([]);
  expect(reachOf([route("49", ["vonage"]), { ...spare, priority: 0, weight: 0 }], table).waiting).toEqual(["49"]);
});

test("without a configured provider nothing can be sent", () => {
  expect(reachOf([], table)).toEqual({ isAnyConfigured: false, waiting: [] });
  expect(reachOf([route("", ["sinch"])], table).isAnyConfigured).toBe(false);
});
