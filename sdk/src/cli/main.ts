#!/usr/bin/env node
import { run } from "./run.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
// Whoever reads the output may have enough of it, as `head` has after its lines.
process.stdout.on("error", (thrown: NodeJS.ErrnoException) => {
  if (thrown.code !== "EPIPE") throw thrown;
  process.exit();
});
process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  printError: (line) => process.stderr.write(`${line}\n`),
  signal: stop.signal,
});
