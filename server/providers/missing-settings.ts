/** Logs that messages go to a provider without settings in this process: another one, which routed them there, has them. */
import { MINUTE_MS } from "../core/clock";
import { log } from "../core/log";
import { defineProcessValue } from "../core/process";

const lastLogged = defineProcessValue("providers.missing_settings", () => new Map<string, number>());

/** Logs it once a minute for each provider. @param problem of the settings that there are; null: there are none. */
export function noteMissingSettings(provider: string, problem: string | null): void {
  const at = performance.now();
  if (at - (lastLogged().get(provider) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
  lastLogged().set(provider, at);
  const see = "docs/operations.md, A process lacks the settings of a provider";
  log("error", "provider.not_configured", { provider, problem, see });
}
