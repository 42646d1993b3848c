import { expect, test } from "vitest";
import { goodRun } from "../judge/good-run";
import { rescheduleAfterMs } from "./reschedulings";

const always = () => 0;

test("only a send of one scheduled message gets another time", () => {
  const [send] = goodRun().sends;
  if (!send) throw new Error("The run has no send.");
  const message = { to: "+19005550100", id: "msg_1", costMicros: 1 };
  const scheduled = { ...send, dueMs: Date.now() + 60_000, messages: [message] };
  expect(rescheduleAfterMs(scheduled, always)).toBe(0);
  expect(rescheduleAfterMs({ ...scheduled, dueMs: null }, always)).toBeNull();
  expect(rescheduleAfterMs({ ...scheduled, messages: null }, always)).toBeNull();
  // The others would keep their time, which the send then no longer has.
  expect(rescheduleAfterMs({ ...scheduled, messages: [message, message] }, always)).toBeNull();
});
