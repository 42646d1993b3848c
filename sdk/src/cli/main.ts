#!/usr/bin/env node
import { run } from "./run.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
// The reader of the output may close it early, as `head` does after its lines. Anything else, such as a full disk, is a failure.
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit();
  process.stderr.write(`The output cannot be written: ${message}\n`);
  process.exit(1);
});
process.stderr.on("error", () => process.exit(1));
process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  printError: (line) => process.stderr.write(`${line}\n`),
  signal: stop.signal,
});
