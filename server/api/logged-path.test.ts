import { expect, test } from "vitest";
import { newPlainKey } from "../api-keys/secret";
import { newId } from "../core/ids";
import { loggedPath } from "./logged-path";

test("a logged path has neither the query nor the secret of a receipt URL", () => {
  expect(loggedPath("/api/v1/messages/msg_1?to=%2B14155550100")).toBe("/api/v1/messages/msg_1");
  expect(loggedPath("/api/receipts/twilio/aVerySecretPath?x=1")).toBe("/api/receipts/twilio");
  expect(loggedPath("/api/receipts/twilio/aVerySecretPath/")).toBe("/api/receipts/twilio");
  expect(loggedPath("/reset-password?token=secret")).toBe("/reset-password");
});

test("a phone number in place of an id is left out; ids stay", () => {
  for (const number of ["%2B14155550100", "+14155550100", "14155550100", "(415)%20555-0100", "415.555.0100"]) {
    expect(loggedPath(`/suppressions/${number}`)).toBe("/suppressions/(number)");
  }
  for (const id of Array.from({ length: 1_000 }, () => newId("message"))) {
    expect(loggedPath(`/messages/${id}/cancel`)).toBe(`/messages/${id}/cancel`);
  }
  expect(loggedPath("/messages/12345")).toBe("/messages/12345");
});

test("a key in place of an id is masked", () => {
  expect(loggedPath(`/api-keys/${newPlainKey()}/rotate`)).toBe("/api-keys/[masked]/rotate");
});
