import { expect, test } from "vitest";
import { handlingOf, refusalOf, repeatedWarnings, unknownNames, warningsOf } from "./unknown-input";

test.each([
  [undefined, null],
  ["", null],
  ["handling=strict", "strict"],
  ["Handling = strict", "strict"],
  ['handling="strict"', "strict"],
  ["HANDLING=Strict", "strict"],
  ["return=minimal, handling=lenient; foo=bar", "lenient"],
  ["handling=strict, handling=lenient", "strict"],
  ["handling=other, handling=strict", null],
  ["handling", null],
  ["respond-async, wait=10", null],
])("Prefer: %s asks for the handling %s", (prefer, handling) => {
  expect(handlingOf(prefer)).toBe(handling);
});

const KNOWN = new Set(["route_id", "to"]);
const FIELD = "a field of this request";

test("unknown names keep their order, and names of Object's own properties are unknown too", () => {
  const given = Object.keys(JSON.parse('{"to":1,"constructor":2,"__proto__":3,"toString":4}'));
  expect(unknownNames(given, KNOWN)).toEqual(["constructor", "__proto__", "toString"]);
});

test("a name in another spelling gets the known one as a suggestion", () => {
  const [one, other] = warningsOf(["routeId", "send_at"], FIELD, KNOWN);
  expect(one).toEqual({
    code: "unknown_parameter",
    param: "routeId",
    message: "is not a field of this request, and was ignored; did you mean `route_id`?",
  });
  expect(other?.message).toBe("is not a field of this request, and was ignored");
});

test("there are at most 20 warnings, with names shortened, on one line and well-formed", () => {
  const names = ["a\nb", "x".repeat(5_000), "half \ud800", ...Array.from({ length: 50 }, (_, at) => `n${at}`)];
  const warnings = warningsOf(names, FIELD, KNOWN);
  expect(warnings).toHaveLength(20);
  expect(warnings.slice(0, 3).map(({ param }) => param)).toEqual(["a b", `${"x".repeat(100)}…`, "half \ufffd"]);
});

test("the refusal names the first one as param and all of them as issues", () => {
  const refusal = refusalOf(warningsOf(["routeId", "send_at"], FIELD, KNOWN));
  expect(refusal).toMatchObject({
    status: 400,
    wire: {
      param: "routeId",
      message: "routeId: is not a field of this request; did you mean `route_id`?",
      details: {
        reason: "unknown_parameter",
        issues: [{ param: "routeId" }, { param: "send_at", message: "is not a field of this request" }],
      },
    },
  });
});

test("a field that was given more than once is refused as such", () => {
  const [warning] = repeatedWarnings(["to"]);
  expect(warning).toMatchObject({ code: "repeated_parameter", param: "to" });
  expect(refusalOf(repeatedWarnings(["to"])).wire).toMatchObject({
    param: "to",
    message: "to: is given more than once",
    details: { reason: "repeated_parameter", issues: [{ param: "to", message: "is given more than once" }] },
  });
});
