import { expect, test } from "vitest";
import { endOf } from "./key-end";

const EARLIER = "2026-03-01T00:00:00.000Z";
const LATER = "2026-03-02T00:00:00.000Z";

test.each([
  [{ is_active: true, revoked_at: null, expires_at: LATER }, null],
  [{ is_active: false, revoked_at: null, expires_at: EARLIER }, "expired"],
  [{ is_active: false, revoked_at: EARLIER, expires_at: null }, "revoked"],
  [{ is_active: false, revoked_at: EARLIER, expires_at: LATER }, "revoked"],
  [{ is_active: false, revoked_at: LATER, expires_at: EARLIER }, "expired"],
])("%o is %s: only the first end counts", (key, end) => {
  expect(endOf(key)).toBe(end);
});
