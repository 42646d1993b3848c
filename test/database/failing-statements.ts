/** Statements that the database refuses, of a process that is otherwise well. */
import pg from "pg";
import { vi } from "vitest";

/** In the message of the database's refusal. */
export const FAULT = "a_fault_of_this_test";

/** Has the database refuse every statement whose text has `part`, until `vi.restoreAllMocks()`. */
export function failStatements(part: string): void {
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first, ...others] = args as [string | { text?: string }];
    const text = typeof first === "string" ? first : (first.text ?? "");
    const sent = text.includes(part) ? [`SELECT ${FAULT}`, ...others] : args;
    return (query as (...all: unknown[]) => unknown).apply(this, sent) as never;
  });
}
