/** Logs failure codes that are in none of our tables: customers read that the reason is unknown, operators find it in the log. */
import { log } from "../core/log";
import { defineProcessValue } from "../core/process";
import { storableText } from "../core/wire";
import { isUnexplained } from "./http/callback-content";
import type { Report } from "./port";

/** Codes come from outside, so their number and their length are limited. Messages keep as much of them. */
const CODES_MAX = 1_000;
const CODE_LENGTH_MAX = 100;
const TEXT_LENGTH_MAX = 500;

const logged = defineProcessValue("providers.unlisted_codes", () => new Set<string>());

/** Logs each unknown code of a provider once per process, with the provider's text if there is one. */
export function logUnlisted(provider: string, reports: readonly Report[]): void {
  for (const report of reports.filter(isUnexplained)) {
    const code = report.code && storableText(report.code, CODE_LENGTH_MAX);
    const key = `${provider} ${code}`;
    if (logged().has(key) || logged().size >= CODES_MAX) continue;
    logged().add(key);
    const said = report.providerDetail === undefined ? null : storableText(report.providerDetail, TEXT_LENGTH_MAX);
    log("warn", "provider.unlisted_code", { provider, code, said });
  }
}
