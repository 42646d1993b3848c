import { expect, test } from "vitest";
import { callbackContent, isUnexplained, reportFrom } from "./callback-content";

const reported = { providerMessageId: "m1", reference: "msg_1-1", code: "30003", detail: "Unreachable." };

test.each(["failed", "undelivered"] as const)("a report of %s keeps its code and detail", (status) => {
  expect(reportFrom({ ...reported, status })).toEqual({ ...reported, status, occurredAt: null });
});

test.each(["sent", "delivered"] as const)("a report of %s has neither code nor detail", (status) => {
  expect(reportFrom({ ...reported, status })).toMatchObject({ status, code: null, detail: null });
});

test("missing and empty texts are null", () => {
  const empty = { providerMessageId: "m1", reference: "", code: undefined, detail: "", status: "failed" } as const;
  expect(reportFrom(empty)).toMatchObject({ reference: null, code: null, occurredAt: null });
});

test("an unexplained failure is described as such in our words; the provider's own text is for operators", () => {
  const unexplained = { ...reported, detail: null, providerDetail: "account 4711 is out of luck" };
  for (const status of ["failed", "undelivered"] as const) {
    const report = reportFrom({ ...unexplained, status });
    expect(report.detail).toMatch(/^The message .* The reason is not known\.$/);
    expect(report).toMatchObject({ code: "30003", providerDetail: "Account 4711 is out of luck." });
    expect(isUnexplained(report)).toBe(true);
    expect(isUnexplained(reportFrom({ ...reported, status }))).toBe(false);
  }
  const listed = { ...reported, status: "failed", providerDetail: "words" } as const;
  expect(reportFrom(listed)).not.toHaveProperty("providerDetail");
  expect(reportFrom({ ...unexplained, status: "delivered" })).not.toHaveProperty("providerDetail");
});

test("a callback of an event that we do not process has no content", () => {
  expect(callbackContent()).toEqual({ reports: [], inbound: [] });
});
