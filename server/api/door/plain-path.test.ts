import { expect, test } from "vitest";
import { isPlainPath } from "./plain-path";

test("paths as our pages and browsers write them are plain", () => {
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

test("a path that another one would be read from is not", () => {
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
