import { describe, expect, test } from "vitest";
import { chooseRoute, orderChain, type Route } from "./choose";

const route = (id: number, prefix: string, more: Partial<Route> = {}): Route => ({
  id,
  prefix,
  priority: 0,
  chain: ["sandbox"],
  priceMicros: 10_000n,
  weight: 100,
  ...more,
});

describe("chooseRoute", () => {
  test("the longest matching prefix wins, whatever the order of the table and the priority", () => {
    const routes = [route(1, ""), route(2, "1"), route(3, "1415", { priority: 9 }), route(4, "44")];
    expect(chooseRoute(routes, "+14155550123", 0)?.id).toBe(3);
    expect(chooseRoute([...routes].reverse(), "+12125550123", 0)?.id).toBe(2);
    expect(chooseRoute(routes, "+49301234567", 0)?.id).toBe(1);
  });

  test("of equal prefixes the lowest priority number wins", () => {
    expect(
      chooseRoute([route(1, "1", { priority: 5 }), route(2, "1", { priority: 1 })], "+12125550123", 0.99)?.id,
    ).toBe(2);
  });

  test("equals are shared out by weight, and a weight of 0 gets nothing", () => {
    const routes = [route(1, "1", { weight: 30 }), route(2, "1", { weight: 0 }), route(3, "1", { weight: 70 })];
    const picks = Array.from({ length: 100 }, (_, at) => chooseRoute(routes, "+12125550123", at / 100)?.id);
    expect(picks.filter((id) => id === 1)).toHaveLength(30);
    expect(picks.filter((id) => id === 3)).toHaveLength(70);
  });

  test("no match and routes without a provider give null", () => {
    expect(chooseRoute([route(1, "44")], "+12125550123", 0)).toBeNull();
    expect(chooseRoute([route(1, "1", { chain: [] })], "+12125550123", 0)).toBeNull();
  });
});

test("orderChain puts the preferred provider first, once, and keeps the rest", () => {
  expect(orderChain(["twilio", "vonage", "sinch"], "sinch")).toEqual(["sinch", "twilio", "vonage"]);
  expect(orderChain(["twilio"], "plivo")).toEqual(["plivo", "twilio"]);
  expect(orderChain(["twilio", "vonage"], null)).toEqual(["twilio", "vonage"]);
});
