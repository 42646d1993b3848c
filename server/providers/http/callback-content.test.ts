import { expect, test } from "vitest";
import { callbackContent, reportFrom } from "./callback-content";

const reported = { providerMessageId: "m1", reference: "msg_1-1", code: "30003", detail: "Unreachable." };

test.each(["failed", "undelivered"] as const)("a report of %s keeps its code and detail", (status) => {
  expect(reportFrom({ ...reported, status })).toEqual({ ...reported, status, occurredAt: null });
});

test.each(["sent", "delivered"] as const)("a report of %s has neither code nor detail", (status) => {
  expect(reportFrom({ ...reported, status })).toMatchObject({ status, code: null, detail: null });
});

test("missing and empty texts are null", () => {
  const empty = { providerMessageId: "m1", reference: "", code: undefined, detail: "", status: "failed" } as const;
  expect(reportFrom(empty)).toMatchObject({ reference: null, code: null, detail: null, occurredAt: null });
});

test("a callback that is not followed has no content", () => {
  expect(callbackContent()).toEqual({ reports: [], inbound: [] });
});
