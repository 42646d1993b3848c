/** The `test` of files that have an installation of their own, which all their tests share. */
import { test as base } from "../test";
import type { CarrierName } from "./carriers/all";
import { type Installation, type InstallationOptions, startInstallation } from "./installation";

/** Makes that `test`. Its file's tests must run in one worker, one after the other. */
export const testWith = <Name extends CarrierName>(options: InstallationOptions<Name>) =>
  base.extend<object, { installation: Installation<Name> }>({
    installation: [
      async ({ service }, use) => {
        const installation = await startInstallation(service, options);
        await use(installation);
        await installation.close();
      },
      { scope: "worker", timeout: 120_000 },
    ],
  });

export { expect } from "@playwright/test";
