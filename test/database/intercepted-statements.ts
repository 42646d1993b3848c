/** Makes the database refuse statements, and transactions stop between two statements, in an otherwise healthy process. */
import pg from "pg";
import { onTestFinished, vi } from "vitest";

/** Part of the message of the database's refusal. */
export const FAULT = "a_fault_of_this_test";

/** Has the database refuse every statement that contains `part`, until `vi.restoreAllMocks()`. */
export function failStatements(part: string): void {
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first, ...others] = args as [string | { text?: string }];
    const text = typeof first === "string" ? first : (first.text ?? "");
    const sent = text.includes(part) ? [`SELECT ${FAULT}`, ...others] : args;
    return (query as (...all: unknown[]) => unknown).apply(this, sent) as never;
  });
}

/**
 * Loses the reply to the next statement whose text matches, once the database has carried it out.
 * @param lost the failure in its place. @param meanwhile is carried out before the caller learns of it.
 */
export function loseReply(statement: RegExp, lost: Error, meanwhile: () => Promise<unknown> = async () => null): void {
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const result = (query as (...all: unknown[]) => unknown).apply(this, args);
    const [first] = args as [string | { text?: string }];
    if (!statement.test(typeof first === "string" ? first : (first.text ?? ""))) return result as never;
    spy.mockRestore();
    return (result as Promise<unknown>).then(async () => {
      await meanwhile();
      throw lost;
    }) as never;
  });
  onTestFinished(() => void spy.mockRestore());
}

type Sent = { name?: string; values?: readonly unknown[] };
type Hold = { name: string; about: string; note: () => void; released: Promise<void> };

const holds: Hold[] = [];

/** Holds back the results of the statements named in `holds`, each once. */
function watchStatements(): void {
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const result = (query as (...all: unknown[]) => unknown).apply(this, args);
    const { name, values = [] } = args[0] as Sent;
    const at = holds.findIndex((hold) => hold.name === name && String(values).includes(hold.about));
    const [hold] = at < 0 ? [] : holds.splice(at, 1);
    if (!hold) return result as never;
    return (result as Promise<unknown>).then(async (rows) => {
      hold.note();
      await hold.released;
      return rows;
    }) as never;
  });
  onTestFinished(() => {
    holds.length = 0;
    spy.mockRestore();
  });
}

function signal(): { given: Promise<void>; give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/**
 * Stops the next transaction that sends the statement, after its result and until it is released. A transaction may be idle for two
 * seconds.
 * @param about text that the statement's values must contain.
 * @returns `reached` resolves when the transaction has stopped.
 */
export function holdAfter(name: string, about = ""): { reached: Promise<void>; release: () => void } {
  if (!vi.isMockFunction(pg.Client.prototype.query)) watchStatements();
  const [reached, released] = [signal(), signal()];
  holds.push({ name, about, note: reached.give, released: released.given });
  return { reached: reached.given, release: released.give };
}
