import { describe, expect, it } from "vitest";
import { createdBounds, dayOf } from "./created-range";

describe("createdBounds", () => {
  it("includes the whole last day", () => {
    const { created_after, created_before } = createdBounds(["2026-03-01", "2026-03-01"]);
    expect(created_after).toBe(new Date(2026, 2, 1).toISOString());
    expect(created_before).toBe(new Date(2026, 2, 2).toISOString());
  });

  it("crosses the end of a month", () => {
    expect(createdBounds([null, "2026-12-31"])).toEqual({ created_before: new Date(2027, 0, 1).toISOString() });
  });

  it("omits an open side", () => {
    expect(createdBounds(["2026-03-01", null])).toEqual({ created_after: new Date(2026, 2, 1).toISOString() });
    expect(createdBounds([null, null])).toEqual({});
  });
});

describe("dayOf", () => {
  it("accepts only a whole day", () => {
    expect(dayOf("2026-03-01")).toBe("2026-03-01");
    for (const text of [null, "", "yesterday", "2026-3-1", "2026-03-01T00:00:00Z"]) expect(dayOf(text)).toBeNull();
  });

  it("accepts only days of the calendar", () => {
    expect(dayOf("2028-02-29")).toBe("2028-02-29");
    for (const text of ["2026-02-29", "2026-02-31", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00"])
      expect(dayOf(text), text).toBeNull();
  });

  it("accepts only days that a field shows and the service knows", () => {
    expect(dayOf("2000-01-01")).toBe("2000-01-01");
    for (const text of ["0050-01-01", "1999-12-31", "9999-12-31"]) expect(dayOf(text), text).toBeNull();
  });
});
