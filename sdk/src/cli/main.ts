#!/usr/bin/env node
import { run } from "./run.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
// The reader of the output may close it early, as `head` does after its lines.
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
