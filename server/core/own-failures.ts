/** Failures of this machine, which say nothing about the other side of a connection. */
import { errorCodeOf } from "./errors";

/** System codes that mean: no open files, memory or ports left. */
export const OUT_OF_RESOURCES: readonly string[] = ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"];

const NO_RESOURCES = "Our machine has no open files, memory or ports left for a connection.";
const NO_LOOK_UP =
  "Our machine could not look up the name: its name servers did not respond, or it has no open files left.";

/**
 * Whether a name could not be looked up; a name that does not exist was. The system's resolver fails with EBUSY when no open files
 * are left.
 */
const isLookUpFailure = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  "syscall" in thrown &&
  thrown.syscall === "getaddrinfo" &&
  errorCodeOf(thrown) !== "ENOTFOUND";

/** Describes a failure of this machine for operators; null: it is another failure. */
export function ownFailureOf(thrown: unknown): string | null {
  if (OUT_OF_RESOURCES.includes(errorCodeOf(thrown))) return NO_RESOURCES;
  return isLookUpFailure(thrown) ? NO_LOOK_UP : null;
}

/** The failure of a name that was still being looked up when the time for a connection was over. */
export const lookUpTimedOut = (): Error =>
  Object.assign(new Error("The name was not looked up in time."), { code: "EAI_AGAIN", syscall: "getaddrinfo" });
