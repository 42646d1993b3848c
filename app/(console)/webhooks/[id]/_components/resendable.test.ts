import { expect, test } from "vitest";
import { isFailing, isResendable } from "./resendable";

test.each([
  ["delivered", { status: "delivered", attempts: 1, next_attempt_state: null, tries: [1] }, false, true],
  ["after a failed try", { status: "pending", attempts: 1, next_attempt_state: "scheduled", tries: [1] }, true, true],
  [
    "before a new round",
    { status: "pending", attempts: 0, next_attempt_state: "scheduled", tries: [1, 2, 3, 4, 5, 6] },
    true,
    true,
  ],
  ["being tried again", { status: "pending", attempts: 1, next_attempt_state: "due", tries: [1] }, true, false],
  ["late", { status: "pending", attempts: 1, next_attempt_state: "overdue", tries: [1] }, true, true],
  ["just sent again", { status: "pending", attempts: 0, next_attempt_state: "due", tries: [1] }, false, false],
  ["not tried yet", { status: "pending", attempts: 0, next_attempt_state: "due", tries: [] }, false, false],
  [
    "not tried yet, and late",
    { status: "pending", attempts: 0, next_attempt_state: "overdue", tries: [] },
    false,
    true,
  ],
] as const)("a delivery that is %s", (_, delivery, fails, mayBeSent) => {
  expect(isFailing(delivery)).toBe(fails);
  expect(isResendable(delivery)).toBe(mayBeSent);
});
