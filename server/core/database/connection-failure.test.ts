import { EventEmitter } from "node:events";
import pg from "pg";
import { expect, test } from "vitest";
import { DISK_FULL, isNeverDone, watchFullDisk } from "./connection-failure";

/** The error of a statement that finds the disk full. `severity` is in the server's language; `then` is what the server sends next. */
function foundFull(severity: string, then: "readyForQuery" | "end"): pg.DatabaseError {
  const connection = new EventEmitter();
  watchFullDisk({ connection } as unknown as pg.PoolClient);
  const failure = Object.assign(new pg.DatabaseError("", 0, "error"), { code: DISK_FULL, severity });
  connection.emit("errorMessage", failure);
  connection.emit(then);
  return failure;
}

test.each(["ERROR", "FEHLER", "ОШИБКА"])(
  "a session that goes on after %s has rolled its statement back",
  async (word) => {
    expect(await isNeverDone(foundFull(word, "readyForQuery"))).toBe(true);
  },
);

test.each(["FATAL", "PANIC", "ВАЖНО"])("the outcome is unknown when the session ends after %s", async (word) => {
  expect(await isNeverDone(foundFull(word, "end"))).toBe(false);
});

test("the outcome is unknown when the connection was not watched", async () => {
  const failure = Object.assign(new pg.DatabaseError("", 0, "error"), { code: DISK_FULL, severity: "ERROR" });
  expect(await isNeverDone(failure)).toBe(false);
});
