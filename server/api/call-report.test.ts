import { TRPCError } from "@trpc/server";
import { beforeEach, expect, test, vi } from "vitest";
import { forbidden, invalidRequest } from "../core/errors";
import type { Context } from "../core/trpc";
import { reportCall } from "./call-report";

const { log } = vi.hoisted(() => ({ log: vi.fn() }));
vi.mock("../core/log", async (load) => ({ ...(await load<object>()), log }));

beforeEach(() => log.mockClear());

const context: Context = {
  actor: { kind: "session", accountId: "acc_1", userId: "usr_1", isOperator: false },
  requestId: "req_1",
  address: "198.51.100.7",
  idempotency: () => null,
  responseHeaders: {},
  admit: async () => undefined,
};

const fail = (cause: Error) => new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause });

test("a denial is logged with who was denied what", () => {
  reportCall(fail(forbidden("No.", { reason: "not_an_operator" })), "operator.credit", context);
  expect(log).toHaveBeenCalledWith("warn", "trpc.denied", {
    request_id: "req_1",
    procedure: "operator.credit",
    status: 403,
    reason: "not_an_operator",
    user_id: "usr_1",
    address: "198.51.100.7",
  });
});

test("a failure is logged with its cause", () => {
  reportCall(fail(new Error("broken")), "messages.list", context);
  expect(log).toHaveBeenCalledWith(
    "error",
    "trpc.failed",
    expect.objectContaining({ status: 500, error: "Error: broken" }),
  );
});

test("errors that the caller can fix are logged only at level debug", () => {
  reportCall(fail(invalidRequest("Wrong.")), "messages.send", context);
  reportCall(fail(forbidden("Confirm.", { reason: "confirmation_required" })), "apiKeys.create", context);
  expect(log.mock.calls.map(([level]) => level)).toEqual(["debug", "debug"]);
});
