import { initTRPC } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import { type AccountActor, requireOperator, requireScope } from "./actor";
import { forbidden, toApiError, unauthorized } from "./errors";
import { requireStorable } from "./wire";

/** A caller's Idempotency-Key and the SHA-256 of what it was sent with. */
export type Idempotency = { key: string; requestHash: string };

/** What a procedure knows of its request, whichever door it came through. */
export type Context = {
  actor: AccountActor | null;
  requestId: string;
  /** Address of the caller, for throttling. */
  address: string;
  /** The caller's Idempotency-Key; known once the input was read. @throws 400 when it is malformed. */
  idempotency: () => Idempotency | null;
  /** Response headers that a deed adds on the REST door, e.g. Idempotency-Replayed. */
  responseHeaders: Record<string, string>;
};

/**
 * `creates: false`: a POST that creates nothing, and so answers 200 instead of 201. `keyed`: it honours Idempotency-Key
 * all the same, as every POST that creates does. `scope`: what a key must hold, set by {@link scoped}; null: any will do.
 * `oneOf`: fields of the body of which exactly one is given.
 */
export type OperationMeta = OpenApiMeta & {
  creates?: boolean;
  keyed?: boolean;
  scope?: string | readonly string[] | null;
  oneOf?: readonly string[];
};

const t = initTRPC
  .context<Context>()
  .meta<OperationMeta>()
  .create({
    errorFormatter: ({ shape, error }) => {
      const { status, wire } = toApiError(error);
      return { ...shape, message: wire.message, data: { httpStatus: status, ...wire } };
    },
  });

export const router = t.router;
export const mergeRouters = t.mergeRouters;

/** The REST edge looks by itself, once the scope was judged. */
const storableInput = t.middleware(({ ctx, input, next }) => {
  if (ctx.actor?.kind !== "apiKey") requireStorable(input, "");
  return next();
});

type Buildable = Pick<typeof t.procedure, "input" | "meta">;

/**
 * Makes a procedure refuse text that cannot be stored. It looks at what the schema has made of the input, never at what
 * came: a schema has its limits, and a caller has none.
 */
const storing = <Builder extends Buildable>(builder: Builder): Builder => ({
  ...builder,
  input: ((schema) => builder.input(schema).use(storableInput)) as Builder["input"],
  meta: ((meta) => storing(builder.meta(meta))) as Builder["meta"],
});

/** Open to anybody: sign-up only. */
export const publicProcedure = storing(t.procedure);

const accountProcedure = t.procedure.use(({ ctx, next }) => {
  if (!ctx.actor) throw unauthorized("Sign in first.", { reason: "no_session" });
  return next({ ctx: { actor: ctx.actor } });
});

/**
 * A procedure for account owners and for keys that hold `scope`, or one of several, of which the deed may ask for a certain
 * one; null: any valid key. The scope is judged before the input is looked at.
 */
export const scoped = (scope: string | readonly string[] | null) =>
  storing(
    accountProcedure.meta({ scope }).use(({ ctx, next }) => {
      if (scope) requireScope(ctx.actor, ...[scope].flat());
      return next();
    }),
  );

const personProcedure = accountProcedure.use(({ ctx, next }) => {
  if (ctx.actor.kind !== "session")
    throw forbidden("Only a signed-in person may do this.", { reason: "session_required" });
  return next({ ctx: { actor: ctx.actor } });
});

/** Console only: never reachable with an API key. */
export const sessionProcedure = storing(personProcedure);

/** Console only, for operators of the installation. */
export const operatorProcedure = storing(
  personProcedure.use(({ ctx, next }) => {
    requireOperator(ctx.actor);
    return next();
  }),
);
