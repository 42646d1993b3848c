/** Logs failure codes that are in none of our tables: customers read that the reason is unknown, operators find it in the log. */
import { log } from "../core/log";
import { defineProcessValue } from "../core/process";
import { isUnexplained } from "./http/callback-content";
import type { Report } from "./port";

/** Codes come from outside, so their number is limited. */
const CODES_MAX = 1_000;

const logged = defineProcessValue("providers.unlisted_codes", () => new Set<string>());

/** Logs each unknown code of a provider once per process, with the provider's text if there is one. */
export function logUnlisted(provider: string, reports: readonly Report[]): void {
  for (const report of reports.filter(isUnexplained)) {
    const key = `${provider} ${report.code}`;
    if (logged().has(key) || logged().size >= CODES_MAX) continue;
    logged().add(key);
    log("warn", "provider.unlisted_code", { provider, code: report.code, said: report.providerDetail ?? null });
  }
}
