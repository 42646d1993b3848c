import { expect, test } from "vitest";
import { apiErrorOf } from "./api-error";

test("an API error keeps its message, status, reason and fields", () => {
  const data = {
    httpStatus: 400,
    message: "to: must be a phone number",
    param: "to",
    details: { reason: "bad_number", issues: [{ param: "to", message: "must be a phone number" }] },
  };
  expect(apiErrorOf({ message: "hidden", data })).toEqual({
    message: "to: must be a phone number",
    status: 400,
    param: "to",
    reason: "bad_number",
    isNothingDone: false,
    fields: { to: "must be a phone number" },
  });
});

test("an error without the API's data says that the service could not be reached", () => {
  expect(apiErrorOf(new TypeError("Failed to fetch"))).toMatchObject({ status: null, fields: {} });
  expect(apiErrorOf(new TypeError("Failed to fetch")).message).toMatch(/could not be reached/);
});

test("a proxy's error page does not tell people to check their connection", () => {
  const error = Object.assign(new Error("Unexpected token '<'"), { cause: new SyntaxError("Unexpected token '<'") });
  expect(apiErrorOf(error)).toMatchObject({ status: null, message: expect.stringContaining("not available") });
});

test("people read nothing about the idempotency keys of programs", () => {
  const failed = (httpStatus: number, reason?: string) =>
    apiErrorOf({ data: { httpStatus, message: "Repeat it with the same Idempotency-Key.", details: { reason } } });
  for (const error of [failed(500), failed(503, "database_unavailable"), failed(503, "outcome_unknown")])
    expect(error.message).not.toContain("Idempotency-Key");
});
