/** Input with thousands of faults: naming each of them would keep the process busy, so the schemas stop at a few. */
import type { AnyProcedure } from "@trpc/server";
import { expect, it } from "vitest";
import type { ZodObject } from "zod";
import { appRouter } from "./router";

const MANY = 3_000;
/** As many as the recipients of a request, and some for the other fields. */
const ISSUES_MAX = 1_010;

const bad: readonly [name: string, item: unknown][] = [
  ["numbers", 0],
  ["objects", {}],
  ["empty texts", ""],
  ["nothing", null],
  ["objects of numbers", { a: 0 }],
];

/** Lists and objects of a bad item, and lists of one object of them. */
function inputsOf(item: unknown): unknown[] {
  const list = Array.from({ length: MANY }, () => item);
  const named = Object.fromEntries(list.map((each, at) => [`name ${at} ${"x".repeat(120)}`, each]));
  const short = Object.fromEntries(list.map((each, at) => [`n${at}`, each]));
  const objects = Array.from({ length: 1_000 }, () =>
    Object.fromEntries(list.slice(0, 3).map((each, at) => [`n${at}`, each])),
  );
  return [list, named, short, [short], objects];
}

type Fields = Pick<ZodObject, "shape" | "safeParse">;

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyProcedure>).flatMap(
  ([name, procedure]) =>
    (procedure._def.inputs as Partial<Fields>[]).flatMap((input) =>
      Object.keys(input.shape ?? {}).map((field) => ({ name, field, input: input as Fields })),
    ),
);

it.each(bad)("each field takes thousands of %s with few issues", (_, item) => {
  const inputs = inputsOf(item);
  const many = procedures.flatMap(({ name, field, input }) =>
    inputs.flatMap((value, at) => {
      const count = input.safeParse({ [field]: value }).error?.issues.length ?? 0;
      return count > ISSUES_MAX ? [`${name} ${field} ${at}: ${count}`] : [];
    }),
  );
  expect(many).toEqual([]);
});
