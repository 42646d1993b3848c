import { describe, expect, it } from "vitest";
import {
  faultOfStatus,
  forOperators,
  jsonOrNull,
  outcomeOf,
  outcomeOfEnvoy,
  outcomeOfHttp,
  outcomeOfUnlisted,
  sentences,
  unlisted,
  wireCodeOrNull,
} from "./response";

describe("a response of which only the status is known", () => {
  it.each([
    [304, "provider"],
    [400, "message"],
    [401, "account"],
    [402, "account"],
    [403, "account"],
    [404, "account"],
    [405, "account"],
    [408, "provider"],
    [422, "message"],
    [429, "throttled"],
    [500, "provider"],
    [503, "provider"],
    [521, "provider"],
    [522, "provider"],
    [523, "provider"],
  ])("of HTTP %d means that nothing was sent, with the fault: %s", (status, fault) => {
    const detail = `The provider responded with HTTP ${status}.`;
    expect(outcomeOfHttp(status)).toEqual({ kind: "retryable", code: `http_${status}`, detail, fault });
  });

  it("of HTTP 303 refers to a result, so the message may have been sent, whatever an unlisted code says", () => {
    expect(outcomeOfHttp(303)).toMatchObject({ kind: "unknown", code: "http_303" });
    expect(outcomeOfUnlisted(303, "moved", "provider")).toMatchObject({ kind: "unknown", code: "http_303" });
  });

  it.each([502, 504, 520, 524])("of HTTP %d may come from a gateway, so the message may have been sent", (status) => {
    expect(outcomeOfHttp(status)).toMatchObject({ kind: "unknown", code: `http_${status}` });
  });

  it("uses the provider's own meaning of a status", () => {
    const own = new Map([[403, "message"]] as const);
    expect([403, 405, 408].map((status) => faultOfStatus(status, own))).toEqual(["message", "account", "provider"]);
  });
});

it("an outcome is refused, or retryable with a fault", () => {
  expect(outcomeOf("1", ["refused", "No.", "unknown"])).toEqual({ kind: "refused", code: "1", detail: "No." });
  expect(outcomeOf("1", ["account", "No.", "unknown"])).toEqual({
    kind: "retryable",
    code: "1",
    detail: "No.",
    fault: "account",
  });
});

it("keeps the provider's text apart from ours, which customers read", () => {
  const outcome = outcomeOf("20404", unlisted("account"), "the account AC1 was not found");
  expect(outcome).toEqual({
    kind: "retryable",
    code: "20404",
    detail: "The provider does not serve this installation.",
    providerDetail: "The account AC1 was not found.",
    fault: "account",
  });
  expect(forOperators(outcome)).toMatchObject({
    detail: "The provider does not serve this installation. The account AC1 was not found.",
  });
  expect(outcomeOf("1", ["account", "No.", "unknown"], "", null)).not.toHaveProperty("providerDetail");
});

describe("a 503 of Envoy in front of the provider", () => {
  const reply = (text: string, status = 503) =>
    outcomeOfEnvoy({ status, headers: {}, body: `upstream connect error or disconnect/reset before headers${text}` });

  it.each([
    ". reset reason: connection termination",
    ". reset reason: remote reset",
    ". reset reason: local reset",
    ". reset reason: protocol error",
    ". retried and the latest reset reason: remote connection failure, transport failure reason: refused",
    "",
  ])("may come after the message was passed on: %j", (text) => {
    expect(reply(text)).toMatchObject({ kind: "unknown", code: "http_503" });
  });

  it.each([
    ". reset reason: connection failure",
    ". reset reason: remote connection failure, transport failure reason: delayed connect error: 111",
    ". reset reason: local connection failure",
    ". reset reason: connection timeout",
    ". reset reason: overflow",
  ])("proves that the message was not passed on: %j", (text) => {
    expect(reply(text)).toBeNull();
  });

  it("is recognized by its text and status", () => {
    expect(reply(". reset reason: remote reset", 500)).toBeNull();
    expect(outcomeOfEnvoy({ status: 503, headers: {}, body: "no healthy upstream" })).toBeNull();
  });
});

it("an error with a code in no table proves nothing with the status of a gateway", () => {
  const outcome = outcomeOfUnlisted(504, "504", "provider", "gateway timeout");
  expect(outcome).toEqual({ ...outcomeOfHttp(504), providerDetail: "Gateway timeout." });
  expect(outcomeOfUnlisted(504, "504", "provider")).toEqual(outcomeOfHttp(504));
  expect(outcomeOfUnlisted(503, "7", "provider", "busy")).toEqual(outcomeOf("7", unlisted("provider"), "busy"));
});

it("reads a code only as text or a number", () => {
  expect(
    ["30003", 30003, "", null, undefined, {}, [1], true].map((code) => wireCodeOrNull.parse(code) ?? null),
  ).toEqual(["30003", "30003", null, null, null, null, null, null]);
});

it("reads invalid JSON as null", () => {
  expect([jsonOrNull('{"a":1}'), jsonOrNull(""), jsonOrNull("<html>")]).toEqual([{ a: 1 }, null, null]);
});

describe("sentences", () => {
  it.each([
    [["words of theirs"], "Words of theirs."],
    [["Too long.", " see \n the docs: "], "Too long. See the docs."],
    [["It is so.", "it is so"], "It is so."],
    [["Is it?", '"quoted."'], 'Is it? "quoted."'],
    [["😀"], "😀."],
    [["", null, undefined, " ,;"], ""],
  ])("of %j: %s", (texts, expected) => {
    expect(sentences(...texts)).toBe(expected);
  });
});
