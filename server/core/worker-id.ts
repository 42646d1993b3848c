/** Who this process is, for everything in the database that belongs to one worker: leases, claims, locked jobs. */
import { randomUUID } from "node:crypto";
import { perProcess } from "./process";

/** An id that no other process has or had; made at its first use. */
export const workerId = (): string => perProcess("worker.id", () => `worker-${randomUUID()}`);
