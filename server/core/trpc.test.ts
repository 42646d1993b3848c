import { callTRPCProcedure } from "@trpc/server";
import { expect, test } from "vitest";
import { z } from "zod";
import type { AccountActor } from "./actor";
import {
  liveSessionProcedure,
  operatorProcedure,
  ownerProcedure,
  ownProcedure,
  publicProcedure,
  router,
  scoped,
  sessionProcedure,
} from "./trpc";

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
      actor: person,
      requestId: "req",
      address: "",
      idempotency: () => null,
      responseHeaders: {},
      admit: async () => undefined,
    },
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  });

const PATHS = ["open", "session", "described"] as const;

test.each(PATHS)("%s: text that cannot be stored is refused, and the error names its field", async (path) => {
  await expect(ask(path, { name: "ab" })).resolves.toBe("ab");
  await expect(ask(path, { name: "a\0" })).rejects.toMatchObject({ message: expect.stringContaining("name: ") });
  await expect(ask(path, { name: "a", list: ["b", "\ud83d"] })).rejects.toMatchObject({
    message: expect.stringContaining("list[1]: "),
  });
});

test.each(PATHS)("%s: fields that the schema refuses or does not know are not searched", async (path) => {
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

const acting = router({
  scoped: scoped("sms:read").query(({ ctx }) => ctx.actor.accountId),
  session: sessionProcedure.query(({ ctx }) => ctx.actor.accountId),
  liveSession: liveSessionProcedure.query(({ ctx }) => ctx.actor.accountId),
  own: ownProcedure.query(({ ctx }) => ctx.actor.accountId),
  owner: ownerProcedure.query(({ ctx }) => ctx.actor.accountId),
  operator: operatorProcedure.query(({ ctx }) => ctx.actor.accountId),
});

test.each([
  ["scoped", "tac_1"],
  ["session", "tac_1"],
  ["liveSession", "acc_1"],
  ["own", "acc_1"],
  ["owner", "acc_1"],
  ["operator", "acc_1"],
])("in test mode a procedure of the kind %s acts on %s", async (path, accountId) => {
  const actor: AccountActor = { ...person, accountId: "acc_1", isOperator: true };
  const call = (isTestMode: boolean) =>
    callTRPCProcedure({
      router: acting,
      path,
      type: "query",
      ctx: {
        actor,
        isTestMode,
        requestId: "req",
        address: "",
        idempotency: () => null,
        responseHeaders: {},
        admit: async () => undefined,
      },
      getRawInput: async () => undefined,
      signal: undefined,
      batchIndex: 0,
    });
  expect(await call(true)).toBe(accountId);
  expect(await call(false)).toBe("acc_1");
});
