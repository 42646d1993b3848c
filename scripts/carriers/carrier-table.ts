/** The table of `npm run carriers`. */
import type { VendorCheck } from "../../server/providers/adapters/checked";
import { textTable } from "../text-table";

const HEAD = ["carrier", "checked on", "what", "against"] as const;
const NEVER = ["never", "", ""] as const;

/** One line for each check, the oldest of a carrier first; a carrier without one says so. */
export function carrierTable(checks: Readonly<Record<string, readonly VendorCheck[]>>): string {
  const rows = Object.entries(checks).flatMap(([carrier, own]): (readonly string[])[] =>
    own.length === 0
      ? [[carrier, ...NEVER]]
      : own
          .toSorted((one, other) => one.on.localeCompare(other.on))
          .map(({ on, what, against }) => [carrier, on, what, against]),
  );
  return textTable(HEAD, rows);
}
