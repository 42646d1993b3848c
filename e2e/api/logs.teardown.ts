/** Checks, after the whole suite, what the processes have logged. */
import { databaseUrlOf, openDatabase } from "../support/books";
import { expect, test } from "../support/contract-test";
import { leakSearch, readConfidential, readLogs } from "../support/logs";

/** Texts and numbers that tests typed into pages are in the database of the run. */
const STORED = `SELECT body AS value FROM messages UNION SELECT to_number FROM messages
  UNION SELECT body FROM inbound_messages UNION SELECT from_number FROM inbound_messages
  UNION SELECT number FROM suppressions`;

test("no process's log, at level debug, contains a text, a number or a secret of this run", async ({ service }) => {
  const database = await openDatabase(databaseUrlOf(service));
  const stored = await database.rows<{ value: string }>(STORED).finally(database.close);
  const values = [...readConfidential(service), ...stored.map(({ value }) => value), service.password];
  const logs = readLogs(service);
  // The check itself works: the logs have lines of each kind, and a text in a line would be found.
  expect([...logs.values()].some((log) => log.includes('"event":"http.request"'))).toBe(true);
  expect(leakSearch(["The code is 918273"])('{"level":"info","note":"The code is 918273"}')).toHaveLength(1);
  expect(leakSearch(["+1 415 555 0123"])('{"to":"+14155550123"}')).toHaveLength(1);
  const search = leakSearch(values);
  const leaks = [...logs].flatMap(([name, log]) => search(log).map((leak) => `${name}: ${leak}`));
  expect(leaks).toEqual([]);
});
