import { expect, test } from "vitest";
import { signInPath } from "./sign-in-path";

test.each([
  ["/", "/sign-in"],
  ["/usage", "/sign-in?next=%2Fusage"],
  ["/messages?status=failed&page=2", "/sign-in?next=%2Fmessages%3Fstatus%3Dfailed%26page%3D2"],
])("%s is returned to after sign-in", (target, path) => {
  expect(signInPath(target)).toBe(path);
});

test("the mark of a fetch by Next's client is no part of the page", () => {
  expect(signInPath("/usage?_rsc=1a2b")).toBe("/sign-in?next=%2Fusage");
  expect(signInPath("/?_rsc=1a2b")).toBe("/sign-in");
});

test("what is no page of ours is not returned to", () => {
  for (const target of ["https://evil.example/", "", `/${"a".repeat(3_000)}`])
    expect(signInPath(target)).toBe("/sign-in");
});
