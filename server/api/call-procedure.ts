/**
 * Calls a procedure as tRPC's own caller does, at a fraction of the cost: tRPC copies its options and the context several times
 * for each middleware, key by key, which took a tenth of the web process's time under load.
 */
import { type AnyProcedure, TRPCError } from "@trpc/server";
import type { ZodType } from "zod";
import type { Context } from "../core/trpc";

type RawInput = () => Promise<unknown>;
type Next = { ctx?: object; input?: unknown; getRawInput?: RawInput };
type Result = { ok: true; data: unknown } | { ok: false; error: unknown };

/** Options that tRPC passes to a middleware; input and output validation and the resolver are middlewares too. */
type Options = {
  ctx: object;
  input: unknown;
  getRawInput: RawInput;
  meta: unknown;
  type: string;
  path: string;
  signal: undefined;
  batchIndex: number;
  next: (more?: Next) => Promise<Result>;
};

type Step = ((options: Options) => Promise<Result>) & { _type?: "input" | "output" };

/** Internals of a procedure; tRPC's types omit the middlewares. `inputs`: the schemas of its input steps, in order. */
type Definition = { middlewares: Step[]; inputs: ZodType[]; output: ZodType; meta: unknown; type: string };

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Validates the input as tRPC's own step does, but synchronously; {@link parseOutput} says why. A procedure with
 * several schemas gets the fields of all of them.
 */
async function parseInput(schema: ZodType | undefined, before: unknown, getRawInput: RawInput): Promise<unknown> {
  const raw = await getRawInput();
  try {
    const parsed = schema?.parse(raw);
    return isObject(before) && isObject(parsed) ? { ...before, ...parsed } : parsed;
  } catch (cause) {
    throw new TRPCError({ code: "BAD_REQUEST", cause });
  }
}

/**
 * Validates the output as tRPC's own step does, but synchronously. No schema of an operation is asynchronous, and Zod's synchronous
 * parse is twice as fast: 2.3 instead of 4.3 µs of processor time per message of a bulk response.
 */
function parseOutput(schema: ZodType, result: Result): Result {
  if (!result.ok) return result;
  try {
    return { ok: true, data: schema.parse(result.data) };
  } catch (cause) {
    throw new TRPCError({ message: "Output validation failed", code: "INTERNAL_SERVER_ERROR", cause });
  }
}

/**
 * Runs a procedure.
 * @param call `path`: the procedure's name. `getRawInput`: called once the middlewares before the input's schema have passed.
 * @returns the result as parsed by the output's schema.
 * @throws the procedure's error, or tRPC's for input that its schema refuses.
 */
export async function callProcedure(
  procedure: AnyProcedure,
  call: { path: string; ctx: Context; getRawInput: RawInput },
): Promise<unknown> {
  const { middlewares, inputs, output, meta, type } = procedure._def as unknown as Definition;
  const { path } = call;
  let inputsRead = 0;
  const run = async (at: number, ctx: object, input: unknown, getRawInput: RawInput): Promise<Result> => {
    const step = middlewares[at];
    if (!step) throw new Error(`The procedure ${path} has no resolver.`);
    const next = (more?: Next) =>
      run(
        at + 1,
        // Two spreads, as in tRPC, take ten times as long in Node 20.
        more?.ctx ? Object.assign({}, ctx, more.ctx) : ctx,
        more && "input" in more ? more.input : input,
        more?.getRawInput ?? getRawInput,
      );
    if (step._type === "output") return parseOutput(output, await next());
    if (step._type === "input") return next({ input: await parseInput(inputs[inputsRead++], input, getRawInput) });
    return step({ ctx, input, getRawInput, meta, type, path, signal: undefined, batchIndex: 0, next });
  };
  const result = await run(0, call.ctx, undefined, call.getRawInput);
  if (!result.ok) throw result.error;
  return result.data;
}
