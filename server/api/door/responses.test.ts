import { expect, test } from "vitest";
import { overloaded, rateLimited } from "../../core/errors";
import { pageRefusal } from "./responses";

test("a page that cannot be served at the moment says so, and reloads itself", () => {
  const { status, headers, body } = pageRefusal(overloaded());
  expect([status, headers["retry-after"]]).toEqual([503, "1"]);
  expect(body).toContain('<meta http-equiv="refresh" content="5">');
  expect(body).toContain("This page loads itself again in 5 seconds.");
  expect(body).not.toMatch(/<script|Nothing was carried out/);
});

test("a page that is refused for another reason says why, and does not reload", () => {
  const { body } = pageRefusal(rateLimited("Too many visits.", { retryAfterS: 30 }));
  expect(body).toContain("<p>Too many visits.</p>");
  expect(body).not.toContain("refresh");
});
