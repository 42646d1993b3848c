import { callTRPCProcedure } from "@trpc/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AccountActor } from "../core/actor";
import { notFound, toApiError } from "../core/errors";
import { type Context, publicProcedure, router, scoped, sessionProcedure } from "../core/trpc";
import { callProcedure } from "./call-procedure";

const Input = z.object({ name: z.string().max(3), times: z.coerce.number().default(2) });

const sample = router({
  greet: scoped("sms:send")
    .input(Input)
    .output(z.object({ text: z.string() }))
    .mutation(({ ctx, input }) => ({
      text: `${ctx.actor.accountId} ${input.name.repeat(input.times)}`,
      hidden: true,
    })),
  missing: scoped(null).query(() => {
    throw notFound("Not there.", { param: "id" });
  }),
  lying: scoped(null)
    .output(z.string())
    .query(() => 7 as never),
  console: sessionProcedure.query(() => "seen"),
  both: scoped(null)
    .input(Input)
    .input(z.object({ last: z.string() }))
    .query(({ input }) => input),
  open: publicProcedure.input(z.object({ id: z.string() })).query(({ input }) => input.id),
});

const contextOf = (scopes: string[]): Context => {
  const limits = { daily: null, monthly: null };
  const actor: AccountActor = { kind: "apiKey", accountId: "acc", keyId: "key", scopes, limits };
  const idempotency = () => null;
  return { actor, requestId: "req", address: "", idempotency, responseHeaders: {}, admit: async () => undefined };
};

const endOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ value }),
    (thrown) => ({ error: toApiError(thrown).wire, status: toApiError(thrown).status }),
  );

/** Makes the same call with our caller and with tRPC's. @returns both outcomes, and how often each has read the input. */
async function both(path: keyof typeof sample._def.procedures, input: unknown, scopes: string[] = ["sms:send"]) {
  const reads = [0, 0];
  const reading = (side: 0 | 1) => async () => {
    reads[side] = (reads[side] ?? 0) + 1;
    return input;
  };
  const procedure = sample._def.procedures[path];
  const ctx = contextOf(scopes);
  const { type } = procedure._def;
  const theirs = { router: sample, path, type, ctx, signal: undefined, batchIndex: 0, getRawInput: reading(1) };
  return {
    ours: await endOf(callProcedure(procedure, { path, ctx, getRawInput: reading(0) })),
    theirs: await endOf(callTRPCProcedure(theirs)),
    reads,
  };
}

describe("a procedure ends as it does with tRPC's caller", () => {
  test("with the output that its schema leaves", async () => {
    const { ours, theirs, reads } = await both("greet", { name: "ab" });
    expect(ours).toEqual({ value: { text: "acc abab" } });
    expect(ours).toEqual(theirs);
    expect(reads).toEqual([1, 1]);
  });

  test.each([
    ["greet", { name: "abcd" }],
    ["greet", { name: "a\u0000" }],
    ["greet", "nothing"],
    ["both", { name: "ab", last: "c", more: 1 }],
    ["both", { name: "ab" }],
    ["missing", undefined],
    ["lying", undefined],
    ["console", undefined],
    ["open", {}],
    ["open", { id: "1" }],
  ] as const)("%s with %j", async (path, input) => {
    const { ours, theirs } = await both(path, input);
    expect(ours).toEqual(theirs);
  });

  test("before its input is read, when the key lacks the scope", async () => {
    const { ours, theirs, reads } = await both("greet", { name: "ab" }, ["balance:read"]);
    expect(ours).toMatchObject({ status: 403 });
    expect(ours).toEqual(theirs);
    expect(reads).toEqual([0, 0]);
  });
});
