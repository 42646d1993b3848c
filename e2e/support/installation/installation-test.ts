/** The `test` of files with their own installation, shared by all their tests. */

import type { CarrierName } from "../../../test/carriers/all";
import { test as base } from "../../test";
import { type Installation, type InstallationOptions, startInstallation } from "./installation";

/** Creates that `test`. The tests of its file must run in one worker, one after another. */
export const testWith = <Name extends CarrierName>(options: InstallationOptions<Name>) =>
  base.extend<object, { installation: Installation<Name> }>({
    installation: [
      async ({ service }, use) => {
        const installation = await startInstallation(service, options);
        await use(installation);
        await installation.close();
      },
      { scope: "worker", timeout: 480_000 },
    ],
  });

export { expect } from "@playwright/test";
