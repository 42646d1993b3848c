import { expect, test } from "vitest";
import { isPlainPath, withPlainLetters } from "./plain-path";

test("paths in the form of our pages and browsers are plain", () => {
  const paths = [
    "/",
    "/messages",
    "/messages/msg_1",
    "/_next/static/chunks/%5Bid%5D-a.b~c.js",
    "/docs/limits",
    "/a%2fb",
    "/a.",
  ];
  expect(paths.filter((path) => !isPlainPath(path))).toEqual([]);
});

test("a path that would be read as another one is not", () => {
  const paths = [
    ...[
      "/..",
      "/a/../b",
      "/a/./b",
      "/a/%2e%2e/b",
      "/a/.%2E/b",
      "/a\\..\\b",
      "/a/.",
      "/_next/static/../../api/auth/_log",
    ],
    ...["@evil.example/", ":1/a", "/a b", "/ü"],
  ];
  expect(paths.filter((path) => isPlainPath(path))).toEqual([]);
});

test("letters, digits and `-._~` stand for themselves, however they are encoded", () => {
  const every = Array.from({ length: 128 }, (_, code) => `%${code.toString(16).padStart(2, "0")}`);
  const decoded = every.filter((encoded) => withPlainLetters(encoded) !== encoded).map(withPlainLetters);
  expect(decoded.join("")).toBe("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~");
  expect(withPlainLetters("/m%65ss%61ges/%6Dsg%5F1%2fa%zz%25%36%31%C3%BC")).toBe("/messages/msg_1%2fa%zz%2561%C3%BC");
});
