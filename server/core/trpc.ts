import { initTRPC } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import {
  type AccountActor,
  CHANGING_ROLE,
  inTestMode,
  needing,
  requireOperator,
  requireRole,
  requireScope,
  type SessionActor,
} from "./actor";
import { forbidden, toApiError, unauthorized } from "./errors";
import { requireStorable } from "./wire";

/**
 * A caller's Idempotency-Key and the SHA-256 of its request: of the bytes, and of the JSON value that they represent. Absent: the
 * value was not parsed.
 */
export type Idempotency = { key: string; requestHash: string; valueHash?: string };

/** Context of a request, whichever door it came through. */
export type Context = {
  actor: AccountActor | null;
  requestId: string;
  /** The person works in test mode: account procedures act on the account's twin, which exists. */
  isTestMode?: boolean;
  /** Address of the caller, for throttling. */
  address: string;
  /** The caller's browser or program, as it names itself; absent: not known. */
  userAgent?: string;
  /** The caller's Idempotency-Key; known once the input has been read. @throws 400 when it is malformed. */
  idempotency: () => Idempotency | null;
  /** Whether the caller has hung up, so that nobody receives the response; absent: not known. */
  isAbandoned?: () => boolean;
  /** Response headers that an operation adds to REST responses, e.g. Idempotency-Replayed. */
  responseHeaders: Record<string, string>;
  /** Counts a call of a person against the limits of people and of their account per minute. @throws 429 */
  admit: () => Promise<void>;
};

/**
 * `creates: false`: a POST that creates nothing, and responds 200 instead of 201. `keyed`: it honors Idempotency-Key
 * nevertheless, as every creating POST does. `repeatable`: a POST without a key that may be repeated, since carrying it out twice
 * does the same as once. `scope`: permission that a key must have, set by {@link scoped}; null: none. `oneOf`: fields of the
 * body of which exactly one must be given, and the fields that are allowed with only one of them. `showsSecret`: its response has
 * a secret.
 */
export type OperationMeta = OpenApiMeta & {
  creates?: boolean;
  keyed?: boolean;
  repeatable?: boolean;
  scope?: string | readonly string[] | null;
  oneOf?: Readonly<Record<string, readonly string[]>>;
  showsSecret?: boolean;
};

const t = initTRPC
  .context<Context>()
  .meta<OperationMeta>()
  .create({
    // Proxies close connections that are silent for a minute, and a browser must notice a lost one to reconnect. No `maxDurationMs`:
    // its timer would stay if the page leaves before its call begins. The door ends streams (server/api/door/trpc-door.ts).
    sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
    errorFormatter: ({ shape, error }) => {
      const { status, wire } = toApiError(error);
      return { ...shape, message: wire.message, data: { httpStatus: status, ...wire } };
    },
  });

export const router = t.router;
export const mergeRouters = t.mergeRouters;

/** The REST edge checks the input itself, after the scope. */
const storableInput = t.middleware(({ ctx, input, next }) => {
  if (ctx.actor?.kind !== "apiKey") requireStorable(input, "");
  return next();
});

type Buildable = Pick<typeof t.procedure, "input" | "meta">;

/**
 * Makes a procedure refuse text that cannot be stored. It checks the parsed input, whose size the schema bounds, not the raw
 * input.
 */
const storing = <Builder extends Buildable>(builder: Builder): Builder => ({
  ...builder,
  input: ((schema) => builder.input(schema).use(storableInput)) as Builder["input"],
  meta: ((meta) => storing(builder.meta(meta))) as Builder["meta"],
});

/** Open to callers without an account: sign-up, and a new password with an operator's link. */
export const publicProcedure = storing(t.procedure);

const accountProcedure = t.procedure.use(async ({ ctx, next }) => {
  if (!ctx.actor) throw unauthorized("Sign in first.", { reason: "no_session" });
  await ctx.admit();
  return next({ ctx: { actor: ctx.actor } });
});

/** Every member of an account reads; its developers and owners change things too. */
const memberProcedure = accountProcedure.use(({ ctx, type, next }) => {
  const least = type === "mutation" ? CHANGING_ROLE : "viewer";
  requireRole(ctx.actor, least);
  return next({ ctx: { actor: needing(ctx.actor, least) } });
});

/** In test mode account procedures act on the twin. */
const actingProcedure = memberProcedure.use(({ ctx, next }) => {
  return next({ ctx: { actor: ctx.isTestMode ? inTestMode(ctx.actor) : ctx.actor } });
});

/**
 * A procedure for an account's people, of whom only developers and owners may change things, and for keys with `scope`, or with one
 * of several scopes (the service function may require a certain one); null: any valid key. The scope is checked before the input.
 */
export const scoped = (scope: string | readonly string[] | null) =>
  storing(
    actingProcedure.meta({ scope }).use(({ ctx, next }) => {
      if (scope) requireScope(ctx.actor, ...[scope].flat());
      return next();
    }),
  );

const requirePerson = (actor: AccountActor): SessionActor => {
  if (actor.kind === "session") return actor;
  throw forbidden("Only a signed-in person may do this.", { reason: "session_required" });
};

const personProcedure = accountProcedure.use(({ ctx, next }) => next({ ctx: { actor: requirePerson(ctx.actor) } }));

/** Console only, about the signed-in person alone: their role in the account does not matter. */
export const ownProcedure = storing(personProcedure);

/**
 * Console only: never reachable with an API key. Acts on what belongs to the account, or in test mode to its twin. A change needs a
 * developer.
 */
export const sessionProcedure = storing(
  actingProcedure.use(({ ctx, next }) => next({ ctx: { actor: requirePerson(ctx.actor) } })),
);

/** Console only, for what test mode shares with the live account, such as its people. A change needs a developer. */
export const liveSessionProcedure = storing(
  memberProcedure.use(({ ctx, next }) => next({ ctx: { actor: requirePerson(ctx.actor) } })),
);

/** Console only, for owners of the account. */
export const ownerProcedure = storing(
  personProcedure.use(({ ctx, next }) => {
    requireRole(ctx.actor, "owner");
    return next({ ctx: { actor: needing(ctx.actor, "owner") } });
  }),
);

/** Console only, for owners of the account, about what belongs to it: in test mode, to its twin. */
export const actingOwnerProcedure = storing(
  actingProcedure.use(({ ctx, next }) => {
    const actor = requirePerson(ctx.actor);
    requireRole(actor, "owner");
    return next({ ctx: { actor: needing(actor, "owner") } });
  }),
);

/** Console only, for operators of the installation. */
export const operatorProcedure = storing(
  personProcedure.use(({ ctx, next }) => {
    requireOperator(ctx.actor);
    return next({ ctx: { actor: needing(ctx.actor, "operator") } });
  }),
);
