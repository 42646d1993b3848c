/** Codes of failures that are in no table of ours: customers read that the reason is not known, operators find it here. */
import { log } from "../core/log";
import { defineProcessValue } from "../core/process";
import { isUnexplained } from "./http/callback-content";
import type { Report } from "./port";

/** Codes come from outside, so their number is limited. */
const CODES_MAX = 1_000;

const logged = defineProcessValue("providers.unlisted_codes", () => new Set<string>());

/** Logs each code of a provider that has no meaning here once per process, with the provider's own words if it has any. */
export function logUnlisted(provider: string, reports: readonly Report[]): void {
  for (const report of reports.filter(isUnexplained)) {
    const key = `${provider} ${report.code}`;
    if (logged().has(key) || logged().size >= CODES_MAX) continue;
    logged().add(key);
    log("warn", "provider.unlisted_code", { provider, code: report.code, said: report.providerDetail ?? null });
  }
}
