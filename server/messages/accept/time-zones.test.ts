import { expect, test } from "vitest";
import { loadTimeZones } from "./time-zones";

test("a number has the time zone of its longest known prefix, or all those that it may be in", async () => {
  const zonesOf = await loadTimeZones();
  expect(zonesOf("+14155550123")).toBe("America/Los_Angeles");
  expect(zonesOf("+12125550123")).toBe("America/New_York");
  expect(zonesOf("+491701234567")).toBe("Europe/Berlin");
  expect(zonesOf("+77011234567").split("&")).toEqual(["Asia/Almaty", "Asia/Aqtobe"]);
  expect(zonesOf("+18005550123").split("&").length).toBeGreaterThan(20);
});

test("a number outside all numbering plans of countries has none", async () => {
  const zonesOf = await loadTimeZones();
  expect(zonesOf("+870776000000")).toBe("");
  expect(zonesOf("+999123456789")).toBe("");
});

test("Node knows the time zones of every calling code", async () => {
  const zonesOf = await loadTimeZones();
  const zones = new Set(Array.from({ length: 1_000 }, (_, code) => zonesOf(`+${code}`).split("&")).flat());
  zones.delete("");
  expect(zones.size).toBeGreaterThan(200);
  for (const timeZone of zones) expect(() => new Intl.DateTimeFormat("en", { timeZone })).not.toThrow();
});
