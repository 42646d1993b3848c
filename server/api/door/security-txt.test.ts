import { expect, test } from "vitest";
import { securityText } from "./security-txt";

test("names the contact and an expiry within a year (RFC 9116)", () => {
  const text = securityText("mailto:security@example.com", "https://sms.example.com", new Date("2026-01-31T12:00:00Z"));
  expect(text.split("\n")).toEqual([
    "Contact: mailto:security@example.com",
    "Expires: 2026-07-30T12:00:00.000Z",
    "Preferred-Languages: en",
    "Canonical: https://sms.example.com/.well-known/security.txt",
    "",
  ]);
});
