import { existsSync } from "node:fs";

/** Chromium as Debian packages it. The shell has no windows to draw: a page costs it half the processor time. */
export const DEBIAN_CHROMIUMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;

/** Path of the Chromium that CHROMIUM_PATH names, or of Debian's; undefined: Playwright takes its own. */
export const installedChromium = (): string | undefined =>
  process.env.CHROMIUM_PATH || DEBIAN_CHROMIUMS.find((path) => existsSync(path));
