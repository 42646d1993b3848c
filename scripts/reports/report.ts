/** The result of a test runner, which its process writes to a file for `npm test`. */
import { readFileSync, writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** `failures`: a text each, including failures outside any test, which are in no count. */
export type Report = { passed: number; failed: number; failures: string[] };

/** The environment variable that names the file. */
export const REPORT_FILE = "TEST_REPORT_FILE";

/** Lines shown of an error, whose first ones say what differs, and where. */
const ERROR_LINES = 15;

type Failure = { message?: string; stack?: string };

/** A failure as the summary shows it: the test, then the first lines of its errors. */
export function failureText(name: string, errors: readonly Failure[]): string {
  const lines = errors.flatMap(({ message, stack }) =>
    stripVTControlCharacters(stack ?? message ?? "no message")
      .split("\n")
      .slice(0, ERROR_LINES),
  );
  return [name, ...lines.map((line) => `    ${line}`)].join("\n");
}

/** Writes the report, if a file for it is named. */
export function writeReport(report: Report): void {
  const file = process.env[REPORT_FILE];
  if (file) writeFileSync(file, JSON.stringify(report));
}

/** @returns null when the runner ended without a report. */
export function readReport(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return null;
  }
}
