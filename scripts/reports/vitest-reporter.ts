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

/** Writes the result of a Vitest run to a file. An unhandled rejection fails the run without failing a test, so it is listed too. */
export default class ReportFile implements Reporter {
  onTestRunEnd(files: readonly TestModule[], unhandled: readonly { message: string; stack?: string }[]): void {
    const report = reportOf(files);
    report.failures.push(...unhandled.map((error) => failureText("Outside of a test", [error])));
    writeReport(report);
  }
}
