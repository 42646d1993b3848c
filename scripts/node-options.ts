/**
 * Node's options for the processes of the service: a larger young generation. Objects of a request or a message live until its batch
 * is committed: with Node's default of 16 MiB many of them are copied twice before they become garbage. Measured: bench/README.md,
 * "sends" and "drain". Under load a web process takes about 40 MiB more, a worker 100.
 */
export const NODE_OPTIONS_OF = {
  web: ["--max-semi-space-size=32"],
  worker: ["--max-semi-space-size=64"],
} as const;
