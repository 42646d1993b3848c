import { expect, test } from "vitest";
import { duration, percentile } from "../judge/figures";
import { mayFollow } from "../load/reader";
import { faultOfError } from "./exchange";

const ERROR = {
  success: false,
  error: { type: "api_error", code: "internal_error", message: "Sorry.", param: null, details: {} },
  meta: { request_id: "req_1", api_version: "v1" },
};

test("a documented error has no fault", () => {
  expect(faultOfError(ERROR)).toBeNull();
});

test("an error of another shape is reported", () => {
  expect(faultOfError(null)).toBe("no JSON object");
  expect(faultOfError({ ...ERROR, success: true })).toBe("success is not false");
  expect(faultOfError({ ...ERROR, error: "oh" })).toBe("no error");
  expect(faultOfError({ ...ERROR, error: { ...ERROR.error, code: 7 } })).toBe("error.code is missing");
  expect(faultOfError({ ...ERROR, error: { ...ERROR.error, details: null } })).toBe("error.details is no object");
  expect(faultOfError({ ...ERROR, meta: {} })).toBe("meta is wrong");
});

test("a status may stay or go forward", () => {
  expect(mayFollow("pending", "pending")).toBe(true);
  expect(mayFollow("pending", "delivered")).toBe(true);
  expect(mayFollow("sent", "pending")).toBe(false);
  expect(mayFollow("delivered", "undelivered")).toBe(false);
});

test("percentiles are values of the list", () => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect(percentile(values, 0.5)).toBe(51);
  expect(percentile(values, 0.99)).toBe(100);
  expect(percentile(values, 1)).toBe(100);
  expect(percentile([], 0.5)).toBeNull();
  expect([duration(999), duration(1_500), duration(null)]).toEqual(["999 ms", "1.5 s", "-"]);
});
