import { expect, test } from "vitest";
import { databaseUnavailable } from "./errors";
import { causeOf, errorFields } from "./log";

test("a line about an error names its first cause, which callers are not shown", () => {
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");
  const thrown = databaseUnavailable({
    nothingDone: false,
    cause: new Error("The pool has no connection.", { cause: refused }),
  });
  expect(errorFields(thrown)).toMatchObject({ cause: "connect ECONNREFUSED 127.0.0.1:1" });
  expect(errorFields(new Error("Alone."))).not.toHaveProperty("cause");
});

test("a connection that was refused at several addresses names them all", () => {
  const parts = ["connect ECONNREFUSED ::1:5432", "connect ECONNREFUSED 127.0.0.1:5432"];
  const cause = new AggregateError(parts.map((part) => new Error(part)));
  expect(causeOf(new Error("No database.", { cause }))).toBe(parts.join("; "));
});
