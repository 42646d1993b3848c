/** The id of a worker, by which leases, claims and locked jobs in the database name it, and for how long it counts as alive. */
import { randomUUID } from "node:crypto";
import { defineProcessValue } from "./process";

/** An id that no other process ever has, made at its first use. */
export const workerId = defineProcessValue("worker.id", () => `worker-${randomUUID()}`);

/** A worker counts as alive for this long after its last heartbeat; then its lease is expired. */
export const LEASE_S = 4;

/** Silent for this long, a worker is considered dead even if it still holds its lock, and others take its jobs over. */
export const DEAD_AFTER_S = 60;
