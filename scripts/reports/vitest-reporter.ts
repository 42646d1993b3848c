import path from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { failureText, type Report, writeReport } from "./report";

const nameOf = (file: TestModule, test?: TestCase): string =>
  [file.project.name, file.relativeModuleId, ...(test ? [test.fullName] : [])].join(" > ");

/** Failures of a file outside its tests: it does not load, or a hook fails. */
function failuresOfFile(file: TestModule): string[] {
  const outside = [file, ...file.children.allSuites()].flatMap((suite) => suite.errors());
  return outside.length > 0 ? [failureText(nameOf(file), outside)] : [];
}

function reportOf(files: readonly TestModule[]): Report {
  const report: Report = { passed: 0, failed: 0, failures: files.flatMap(failuresOfFile) };
  for (const file of files) {
    for (const test of file.children.allTests()) {
      const { state, errors } = test.result();
      if (state === "passed") report.passed += 1;
      if (state !== "failed") continue;
      report.failed += 1;
      report.failures.push(failureText(nameOf(file, test), errors));
    }
  }
  return report;
}

/** An error that no test caught. Vitest notes which file, and which test, ran when it came up; the file's path is absolute. */
type Uncaught = { message: string; stack?: string; VITEST_TEST_PATH?: unknown; VITEST_TEST_NAME?: unknown };

/** Where it came up; it may have begun in a test before. */
function placeOf({ VITEST_TEST_PATH: file, VITEST_TEST_NAME: test }: Uncaught): string {
  if (typeof file !== "string") return "Outside of a test";
  const names = [path.relative(process.cwd(), file), ...(typeof test === "string" ? [test] : [])];
  return `Outside of a test, during ${names.join(" > ")}`;
}

/** Writes the result of a Vitest run to a file. An unhandled rejection fails the run without failing a test, so it is listed too. */
export default class ReportFile implements Reporter {
  onTestRunEnd(files: readonly TestModule[], unhandled: readonly Uncaught[]): void {
    const report = reportOf(files);
    report.failures.push(...unhandled.map((error) => failureText(placeOf(error), [error])));
    writeReport(report);
  }
}
