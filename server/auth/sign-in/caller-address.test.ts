import { expect, test } from "vitest";
import { believePeerHeader, callerAddress } from "./caller-address";

const from = (headers: Record<string, string>) => (name: string) => headers[name];

test("where nothing sets the header, what the client wrote in it is not believed", () => {
  const headers = from({ "x-peer-address": "203.0.113.7", "x-forwarded-for": "203.0.113.7" });
  expect(callerAddress(headers, ["0.0.0.0/0"])).toBe("");
});

test("the peer that the web process names is the caller", () => {
  believePeerHeader();
  expect(callerAddress(from({ "x-peer-address": "203.0.113.7" }), [])).toBe("203.0.113.7");
});

test("X-Forwarded-For counts only behind a trusted proxy", () => {
  believePeerHeader();
  const headers = from({ "x-peer-address": "10.0.0.1", "x-forwarded-for": "198.51.100.4" });
  expect(callerAddress(headers, [])).toBe("10.0.0.1");
  expect(callerAddress(headers, ["10.0.0.0/8"])).toBe("198.51.100.4");
});

test("without a named peer nothing that the client wrote is believed", () => {
  believePeerHeader();
  expect(callerAddress(from({ "x-forwarded-for": "198.51.100.4" }), ["0.0.0.0/0"])).toBe("");
});
