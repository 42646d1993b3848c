import { existsSync } from "node:fs";

/** Debian's Chromium packages. The headless shell draws no windows, so a page takes half the CPU time. */
export const DEBIAN_CHROMIUMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;

/** Path of the Chromium that CHROMIUM_PATH names, or of Debian's; undefined: Playwright takes its own. */
export const installedChromium = (): string | undefined =>
  process.env.CHROMIUM_PATH || DEBIAN_CHROMIUMS.find((path) => existsSync(path));
