import type { FullConfig, Reporter, Suite, TestError } from "@playwright/test/reporter";
import { failureText, writeReport } from "./report";

/** Writes the result of a Playwright run to a file. */
export default class ReportFile implements Reporter {
  private tests: Suite | undefined;
  private readonly outside: TestError[] = [];

  onBegin(_config: FullConfig, tests: Suite): void {
    this.tests = tests;
  }

  onError(error: TestError): void {
    this.outside.push(error);
  }

  onEnd(): void {
    const tests = this.tests?.allTests() ?? [];
    const failed = tests.filter((test) => test.outcome() === "unexpected");
    writeReport({
      passed: tests.filter((test) => test.outcome() === "expected" || test.outcome() === "flaky").length,
      failed: failed.length,
      failures: [
        ...failed.map((test) =>
          failureText(
            test.titlePath().filter(Boolean).join(" > "),
            test.results.flatMap(({ errors }) => errors),
          ),
        ),
        ...this.outside.map((error) => failureText("Outside of a test", [error])),
      ],
    });
  }

  /** Only the other reporter prints. */
  printsToStdio(): boolean {
    return false;
  }
}
