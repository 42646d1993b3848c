/**
 * Node's options for a worker. What it allocates for a message lives until the outcome is committed, some 100 ms: with Node's own
 * 16 MiB nearly all of it is copied, twice, before it is garbage. Under load it takes some 100 MiB more. Measured: bench/README.md, "drain".
 */
export const WORKER_OPTIONS = ["--max-semi-space-size=64"];
