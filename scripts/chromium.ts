import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { chromium } from "@playwright/test";
import { DEBIAN_CHROMIUMS } from "./debian-chromium";
import { runQuietly } from "./progress.mjs";

const DOWNLOAD_WITHIN_MS = 300_000;
const isRoot = process.getuid?.() === 0;

async function starts(executablePath: string): Promise<boolean> {
  if (!existsSync(executablePath)) return false;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] }).catch(() => null);
  await browser?.close();
  return browser !== null;
}

async function download(): Promise<void> {
  const cli = path.join(
    path.dirname(createRequire(import.meta.url).resolve("@playwright/test/package.json")),
    "cli.js",
  );
  const withLibraries = isRoot && process.platform === "linux" ? ["--with-deps"] : [];
  await runQuietly(process.execPath, [cli, "install", ...withLibraries, "chromium"], { timeout: DOWNLOAD_WITHIN_MS });
}

async function installFromDebian(): Promise<void> {
  if (!isRoot || !existsSync("/usr/bin/apt-get")) throw new Error("Only root may install Debian's.");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await runQuietly("apt-get", ["update"], { env });
  await runQuietly("apt-get", ["install", "-y", "--no-install-recommends", "chromium-headless-shell"], { env });
}

/**
 * Finds a Chromium that starts on this machine: the one that CHROMIUM_PATH names, Playwright's own, Debian's, or one that is
 * downloaded now, from Playwright or else from Debian. @returns its path.
 * @throws Error that lists the attempts.
 */
export async function getChromium(): Promise<string> {
  const known = [process.env.CHROMIUM_PATH ?? "", chromium.executablePath(), ...DEBIAN_CHROMIUMS];
  for (const candidate of known) if (await starts(candidate)) return candidate;
  const failures: string[] = [];
  for (const fetchOne of [download, installFromDebian]) {
    await fetchOne().catch((thrown: Error) => failures.push(thrown.message));
    for (const candidate of known) if (await starts(candidate)) return candidate;
  }
  throw new Error(`No Chromium starts here; set CHROMIUM_PATH to one.\n${failures.join("\n")}`);
}
