import { TRPCError } from "@trpc/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { constraintOf, toApiError } from "./errors";

/** The message of the error for an input that `schema` refuses. */
function refusalOf(schema: z.ZodType, input: unknown): string {
  const { error } = z.object({ field: schema }).safeParse(input === undefined ? {} : { field: input });
  return toApiError(new TRPCError({ code: "BAD_REQUEST", cause: error })).wire.message;
}

test.each<[z.ZodType, unknown, string]>([
  [z.string().max(16), "a".repeat(17), "must have at most 16 characters"],
  [z.string().max(1), "ab", "must have at most 1 character"],
  [z.string().min(1), "", "must not be empty"],
  [z.string().min(3), "ab", "must have at least 3 characters"],
  [z.array(z.string()).min(1), [], "must not be empty"],
  [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 entries"],
  [z.int().max(100), 101, "must be at most 100"],
  [z.int().min(1), 0, "must be at least 1"],
  [z.int().min(1).max(100), 1e30, "must be at most 100"],
  [z.int().min(1).max(100), -1e30, "must be at least 1"],
  [z.number().int().max(100), 1e30, "must be at most 100"],
  [z.int(), 1e30, "must be at most 9007199254740991"],
  [z.number().gt(0), 0, "must be more than 0"],
  [z.string(), undefined, "is required"],
  [z.string(), 7, "must be text"],
  [z.int(), 1.5, "must be a whole number"],
  [z.boolean(), "yes", "must be true or false"],
  [z.array(z.string()), "a", "must be a list"],
  [z.object({}), [], "must be an object"],
  [z.record(z.string(), z.string()), [], "must be an object"],
  [z.enum(["sent", "failed"]), "gone", "must be one of sent, failed"],
  [z.literal("sent"), "gone", "must be sent"],
  [z.email(), "ann", "must be an email address"],
  [z.iso.datetime(), "yesterday", "must be a date and time in ISO 8601 with its offset, such as 2026-01-31T12:00:00Z"],
  [z.string().regex(/^a$/), "b", "has the wrong form"],
  [z.string().regex(/^a$/, "must be the letter a"), "b", "must be the letter a"],
])("%#: an invalid input gets a sentence for people", (schema, input, text) => {
  expect(refusalOf(schema, input)).toBe(`field: ${text}`);
});

const wireOf = (schema: z.ZodType, input: unknown) =>
  toApiError(new TRPCError({ code: "BAD_REQUEST", cause: schema.safeParse(input).error })).wire;

test("a value of another type is only said to be of another type", () => {
  const send = z.object({ from: z.string().min(1), body: z.string().min(1).max(2), ids: z.array(z.int().min(1)) });
  expect(wireOf(send, { from: [], body: ["a", "b", "c"], ids: ["x", 0] }).details).toEqual({
    issues: [
      { param: "from", message: "must be text" },
      { param: "body", message: "must be text" },
      { param: "ids[0]", message: "must be a number" },
      { param: "ids[1]", message: "must be at least 1" },
    ],
  });
});

test("a name that is too long is shown shortened, and the sentence says that the name is wrong", () => {
  const variables = z.object({ variables: z.array(z.record(z.string().max(100), z.string())) });
  const param = `variables[0].${"n".repeat(100)}…`;
  const message = "its name must have at most 100 characters";
  expect(wireOf(variables, { variables: [{ ["n".repeat(500_000)]: "Ann" }] })).toMatchObject({
    param,
    message: `${param}: ${message}`,
    details: { issues: [{ param, message }] },
  });
  expect(wireOf(variables, { variables: [{ ["n".repeat(100)]: 7 }] }).param).toBe(`variables[0].${"n".repeat(100)}`);
  expect(wireOf(z.record(z.string(), z.string()), { [`${"n".repeat(99)}😀`]: 7 }).param).toBe(
    `${"n".repeat(99)}\uFFFD…`,
  );
});

test("a violated constraint has the same name on a shard", () => {
  expect(constraintOf({ constraint: "accounts_pkey" })).toBe("accounts_pkey");
  expect(constraintOf({ constraint: "accounts_pkey_102008" })).toBe("accounts_pkey");
  expect(constraintOf(new Error("lost"))).toBeUndefined();
  expect(constraintOf(null)).toBeUndefined();
});
