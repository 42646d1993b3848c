/** Calls procedures of the router as the console does, without its door. */
import { type AnyProcedure, callTRPCProcedure } from "@trpc/server";
import { appRouter } from "@/server/api/router";
import type { AccountActor } from "@/server/core/actor";
import { newId } from "@/server/core/ids";
import type { OperationMeta } from "@/server/core/trpc";

type Definition = { type: "query" | "mutation" | "subscription"; meta?: OperationMeta; inputs: unknown[] };

export type KnownProcedure = { path: string; type: Definition["type"]; meta?: OperationMeta; takesId: boolean };

/** Every procedure of the router. */
export const PROCEDURES: readonly KnownProcedure[] = Object.entries(appRouter._def.procedures).map(
  ([path, procedure]) => {
    const { type, meta, inputs } = (procedure as unknown as AnyProcedure)._def as unknown as Definition;
    const shape = (inputs[0] as { shape?: object } | undefined)?.shape ?? {};
    return { path, type, meta, takesId: "id" in shape };
  },
);

export const TEST_ORIGIN = { address: "198.51.100.7", userAgent: "Mozilla/5.0 (X11; Linux) Firefox/140.0" };

/** @throws what the procedure throws. */
export async function callAs(actor: AccountActor | null, path: string, input: unknown): Promise<unknown> {
  const { type } = PROCEDURES.find((procedure) => procedure.path === path) ?? { type: "query" };
  return callTRPCProcedure({
    router: appRouter,
    path,
    type,
    ctx: {
      actor,
      requestId: newId("request"),
      ...TEST_ORIGIN,
      idempotency: () => null,
      responseHeaders: {},
      admit: async () => undefined,
    },
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  });
}
