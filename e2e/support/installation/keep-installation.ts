import type { CarrierName } from "../../../test/carriers/all";
import type { Service } from "../service";
import { type Installation, type InstallationOptions, startInstallation } from "./installation";

export type KeptInstallation = {
  /** The installation of a test file, started at its first use, after another file's installation is closed. */
  of: <Name extends CarrierName>(file: string, options: InstallationOptions<Name>) => Promise<Installation<Name>>;
  close: () => Promise<void>;
};

/** Keeps one installation at a time: that of the running test file. */
export function keepInstallation(service: Service): KeptInstallation {
  let kept: { file: string; installation: Installation } | null = null;
  const close = async () => {
    const closing = kept;
    kept = null;
    await closing?.installation.close();
  };
  return {
    of: async <Name extends CarrierName>(file: string, options: InstallationOptions<Name>) => {
      if (kept?.file !== file) {
        await close();
        kept = { file, installation: (await startInstallation(service, options)) as unknown as Installation };
      }
      // A file has the same options at each call.
      return kept.installation as unknown as Installation<Name>;
    },
    close,
  };
}
