/** Identity of this process for everything in the database that belongs to one worker: leases, claims, locked jobs. */
import { randomUUID } from "node:crypto";
import { defineProcessValue } from "./process";

/** An id that no other process ever has, made at its first use. */
export const workerId = defineProcessValue("worker.id", () => `worker-${randomUUID()}`);
