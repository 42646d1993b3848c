import { expect, test } from "vitest";
import { isCanceled } from "./message-status-badge";

const error = (code: string) => ({ code, message: "It failed.", reason: "canceled" as const });

test("a message was canceled by the account only if no provider had taken it", () => {
  expect(isCanceled({ error: error("canceled"), sent_at: null })).toBe(true);
  expect(isCanceled({ error: error("canceled"), sent_at: "2026-01-01T00:00:00.000Z" })).toBe(false);
  expect(isCanceled({ error: error("STOPPED_BY_USER"), sent_at: null })).toBe(false);
  expect(isCanceled({ error: null, sent_at: null })).toBe(false);
});
