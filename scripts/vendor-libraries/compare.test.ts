import { expect, test } from "vitest";
import { compare, type SentRequest } from "./compare";

const request = (body: object, more: Partial<SentRequest> = {}): SentRequest => ({
  method: "POST",
  url: "https://api.example.com/messages",
  headers: { "content-type": "application/json; charset=utf-8", authorization: "Bearer one" },
  body: JSON.stringify(body),
  ...more,
});
const credentials = ({ headers }: SentRequest) => headers.authorization;

test("requests with the same content have no differences, however they are written", () => {
  const theirs = request({ to: ["+1"], at: "2026-01-01T00:00:00Z", ttl: 60, none: null });
  const ours = request({ ttl: "60", to: ["+1"], at: "2026-01-01T00:00:00.000Z" });
  expect(compare(theirs, ours, { credentials })).toEqual({ checks: 7, differences: [] });
});

test("a field that is missing or different in one of them is reported by its path", () => {
  const { differences } = compare(request({ a: [{ b: 1 }], c: 2 }), request({ a: [{ b: 3 }], d: 4 }), { credentials });
  expect(differences).toEqual([
    "a[0].b: the library sends 1, the adapter 3",
    "c: the library sends 2, the adapter nothing",
    "d: the library sends nothing, the adapter 4",
  ]);
});

test("another address, method, kind of body or credential is a difference", () => {
  const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" };
  const { differences } = compare(request({ a: 1 }), request({}, { ...form, method: "PUT", url: "x" }), {
    credentials,
  });
  expect(differences.map((text) => text.split(":")[0])).toEqual(["method", "address", "kind of body", "credentials"]);
});
