/** Failures of this machine that say nothing of the other side of a connection. */
import { errorCodeOf } from "./errors";

/** Codes of the system for no open files, memory or ports left. */
export const OUT_OF_RESOURCES: readonly string[] = ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"];

/** Whether this machine had nothing left for a connection. */
export const isOutOfResources = (thrown: unknown): boolean => OUT_OF_RESOURCES.includes(errorCodeOf(thrown));
