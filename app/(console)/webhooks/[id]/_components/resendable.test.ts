import { expect, test } from "vitest";
import { isFailing, isResendable } from "./resendable";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const [later, justNow] = ["2026-11-27T12:29:00Z", "2026-11-27T11:59:59Z"];

test.each([
  ["delivered", { status: "delivered", attempts: 1, next_attempt_at: null, tries: [1] }, false, true],
  ["after a failed try", { status: "pending", attempts: 1, next_attempt_at: later, tries: [1] }, true, true],
  [
    "before a new round",
    { status: "pending", attempts: 0, next_attempt_at: later, tries: [1, 2, 3, 4, 5, 6] },
    true,
    true,
  ],
  ["just sent again", { status: "pending", attempts: 0, next_attempt_at: justNow, tries: [1] }, false, false],
  ["not tried yet", { status: "pending", attempts: 0, next_attempt_at: justNow, tries: [] }, false, false],
] as const)("a delivery that is %s", (_, delivery, fails, mayBeSent) => {
  expect(isFailing(delivery, NOW)).toBe(fails);
  expect(isResendable(delivery, NOW)).toBe(mayBeSent);
});
