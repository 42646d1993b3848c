import { describe, expect, it } from "vitest";
import {
  faultOfStatus,
  forOperators,
  jsonOrNull,
  outcomeOf,
  outcomeOfHttp,
  sentences,
  unlisted,
  wireCodeOrNull,
} from "./response";

describe("an answer of which only the status is known", () => {
  it.each([
    [301, "provider"],
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
  ])("of HTTP %d sent nothing, by the fault: %s", (status, fault) => {
    const detail = `The provider answered HTTP ${status}.`;
    expect(outcomeOfHttp(status)).toEqual({ kind: "retryable", code: `http_${status}`, detail, fault });
  });

  it.each([502, 504])("of HTTP %d may come from a gateway, behind which it was sent", (status) => {
    expect(outcomeOfHttp(status)).toMatchObject({ kind: "unknown", code: `http_${status}` });
  });

  it("goes by what the provider itself means by a status", () => {
    const own = new Map([[403, "message"]] as const);
    expect([403, 405, 408].map((status) => faultOfStatus(status, own))).toEqual(["message", "account", "provider"]);
  });
});

it("is refused, or whose fault it is", () => {
  expect(outcomeOf("1", ["refused", "No."])).toEqual({ kind: "refused", code: "1", detail: "No." });
  expect(outcomeOf("1", ["account", "No."])).toEqual({ kind: "retryable", code: "1", detail: "No.", fault: "account" });
});

it("keeps the provider's own words apart from ours, which customers read", () => {
  const outcome = outcomeOf("20404", unlisted("account"), "the account AC1 was not found");
  expect(outcome).toEqual({
    kind: "retryable",
    code: "20404",
    detail: "The provider does not serve this installation.",
    said: "The account AC1 was not found.",
    fault: "account",
  });
  expect(forOperators(outcome)).toMatchObject({
    detail: "The provider does not serve this installation. The account AC1 was not found.",
  });
  expect(outcomeOf("1", ["account", "No."], "", null)).not.toHaveProperty("said");
});

it("reads a code as text or a number, and as nothing else", () => {
  expect(
    ["30003", 30003, "", null, undefined, {}, [1], true].map((code) => wireCodeOrNull.parse(code) ?? null),
  ).toEqual(["30003", "30003", null, null, null, null, null, null]);
});

it("reads text that is no JSON as null", () => {
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
