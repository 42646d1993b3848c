import { expect, test } from "vitest";
import { loggedPath } from "./node-door";

test("a logged path has neither the query nor the secret of a receipt's address", () => {
  expect(loggedPath("/api/v1/messages/msg_1?to=%2B14155550100")).toBe("/api/v1/messages/msg_1");
  expect(loggedPath("/api/receipts/twilio/aVerySecretPath?x=1")).toBe("/api/receipts/twilio");
  expect(loggedPath("/api/receipts/twilio/aVerySecretPath/")).toBe("/api/receipts/twilio");
  expect(loggedPath("/reset-password?token=secret")).toBe("/reset-password");
});
