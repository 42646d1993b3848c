import { expect, test } from "vitest";
import { card, consoleUrl } from "./card";

test.each([
  ["http://127.0.0.1:3000", "http://localhost:3000"],
  ["http://[::1]:3000", "http://localhost:3000"],
  ["http://localhost:3000", "http://localhost:3000"],
  ["http://192.168.1.5:3000", "http://192.168.1.5:3000"],
  ["https://sms.example.com", "https://sms.example.com"],
])("the console of %s is opened at %s, where browsers may allow passkeys", (url, opened) => {
  expect(consoleUrl(url)).toBe(opened);
});

test("the card names the console by a host name, and lets curl use the address that the service listens at", () => {
  const credentials = { url: "http://127.0.0.1:3000", email: "demo@example.com", password: "p", apiKey: "k" };
  const shown = card(credentials, ".local");
  expect(shown).toContain("Console   http://localhost:3000\n");
  expect(shown).toContain("curl http://127.0.0.1:3000/api/v1/messages/send ");
});
