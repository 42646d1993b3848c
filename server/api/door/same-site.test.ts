import { expect, test } from "vitest";
import { isCrossSite } from "./same-site";

const HOST = "sms.example.com";
const sentBy = (sent: { fetchSite?: string; origin?: string; host?: string }) =>
  isCrossSite({
    fetchSite: sent.fetchSite,
    origin: sent.origin,
    host: sent.host ?? HOST,
    publicOrigin: "https://sms.example.com",
  });

test("our own pages and programs other than browsers pass", () => {
  expect(sentBy({})).toBe(false);
  expect(sentBy({ fetchSite: "same-origin" })).toBe(false);
  expect(sentBy({ fetchSite: "none" })).toBe(false);
  expect(sentBy({ origin: "https://sms.example.com" })).toBe(false);
  expect(sentBy({ origin: "https://sms.example.com", host: "10.0.0.7:3000" })).toBe(false);
  expect(sentBy({ origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" })).toBe(false);
});

test("pages of other sites and of our subdomains do not pass", () => {
  for (const fetchSite of ["cross-site", "same-site", "anything"]) expect(sentBy({ fetchSite })).toBe(true);
  for (const origin of [
    "https://evil.example",
    "https://evil.sms.example.com",
    "https://sms.example.com.evil.example",
    "https://sms.example.com:8443",
    "null",
    "",
    `https://${"é".repeat(5_000)}`,
  ]) {
    expect(sentBy({ origin })).toBe(true);
  }
});
