import type { CarrierName } from "../../../test/carriers/all";
import type { Service } from "../service";
import { type Installation, type InstallationOptions, startInstallation } from "./installation";

/** Keeps one installation at a time, that of the test file whose tests run. */
export function keepInstallation(service: Service) {
  let kept: { file: string; installation: Installation } | null = null;
  const close = async () => {
    await kept?.installation.close();
    kept = null;
  };
  return {
    of: async <Name extends CarrierName>(
      file: string,
      options: InstallationOptions<Name>,
    ): Promise<Installation<Name>> => {
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
