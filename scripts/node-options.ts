/**
 * Node's options for the processes of the service: a larger young generation. What is allocated for a request or a message lives
 * until its batch is committed: with Node's own 16 MiB much of it is copied, twice, before it is garbage. Measured: bench/README.md,
 * "sends" and "drain". Under load a web process takes some 40 MiB more, a worker 100.
 */
export const NODE_OPTIONS_OF = {
  web: ["--max-semi-space-size=32"],
  worker: ["--max-semi-space-size=64"],
} as const;
