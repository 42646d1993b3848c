import { callTRPCProcedure } from "@trpc/server";
import { expect, test } from "vitest";
import { z } from "zod";
import type { AccountActor } from "./actor";
import { publicProcedure, router, scoped, sessionProcedure } from "./trpc";

const Input = z.object({ name: z.string().max(5), list: z.array(z.string()).max(3).optional() });

const person: AccountActor = { kind: "session", accountId: "acc", userId: "usr", isOperator: false };

const routes = router({
  open: publicProcedure.input(Input).query(({ input }) => input.name),
  session: sessionProcedure.input(Input).query(({ input }) => input.name),
  described: scoped("sms:send")
    .meta({ creates: false })
    .input(Input)
    .query(({ input }) => input.name),
});

const ask = (path: "open" | "session" | "described", input: unknown) =>
  callTRPCProcedure({
    router: routes,
    path,
    type: "query",
    ctx: {
      ...{ actor: person, requestId: "req", address: "", idempotency: () => null, responseHeaders: {} },
      admit: async () => undefined,
    },
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  });

const PATHS = ["open", "session", "described"] as const;

test.each(PATHS)("%s: text that cannot be stored is refused, and where it stands is named", async (path) => {
  await expect(ask(path, { name: "ab" })).resolves.toBe("ab");
  await expect(ask(path, { name: "a\0" })).rejects.toMatchObject({ message: expect.stringContaining("name: ") });
  await expect(ask(path, { name: "a", list: ["b", "\ud83d"] })).rejects.toMatchObject({
    message: expect.stringContaining("list[1]: "),
  });
});

test.each(PATHS)("%s: what the schema refuses, or has no place for, is not looked through", async (path) => {
  let looks = 0;
  const watched = new Proxy(["\0"], {
    ownKeys: (target) => {
      looks += 1;
      return Reflect.ownKeys(target);
    },
    get: (target, name) => {
      if (name !== "length") looks += 1;
      return Reflect.get(target, name);
    },
  });
  await expect(ask(path, { name: "too long", elsewhere: watched })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(ask(path, { name: "ab", elsewhere: watched })).resolves.toBe("ab");
  expect(looks).toBe(0);
});
