/** The `test` of files with their own installation, shared by all their tests. */

import type { CarrierName } from "../../../test/carriers/all";
import { test as base } from "../../test";
import { failureReport } from "./failure-report";
import type { Installation, InstallationOptions } from "./installation";

/** Creates that `test`. The tests of its file must run in one worker, one after another. */
export function testWith<Name extends CarrierName>(options: InstallationOptions<Name>) {
  const test = base.extend<{ installation: Installation<Name> }>({
    // A test fixture: with a worker fixture, Playwright would start another process for the file.
    installation: [
      async ({ keptInstallation }, use, info) => {
        const installation = await keptInstallation.of(info.file, options);
        await use(installation);
        if (info.status !== info.expectedStatus) console.error(await failureReport(installation));
      },
      { timeout: 480_000 },
    ],
  });
  // Otherwise its processes might look for work until the end of the run.
  test.afterAll(({ keptInstallation }) => keptInstallation.close());
  return test;
}

export { expect } from "@playwright/test";
