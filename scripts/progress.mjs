/** Progress output of the commands. Plain JavaScript without dependencies: it runs before the installation. */
import { spawn } from "node:child_process";
import { setPriority } from "node:os";

const STILL_BUSY_EVERY_MS = 5_000;
const KILL_AFTER_MS = 3_000;
/** Excerpt of a failed command's output: the first lines often name the cause, the last ones the effect. */
const HEAD_LINES = 15;
const TAIL_LINES = 30;

/** Running commands, so that an interrupted start leaves none behind. */
const running = new Set();
let isStopping = false;

/** Lets this process outlive its terminal, or the reader of its output, so that it can stop everything that it has started. */
export function outliveReaders() {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

/** Writes one line with the seconds since the start of this process. */
export function say(text) {
  process.stdout.write(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${text}\n`);
}

/** Prints a step when it begins, every few seconds while it runs, and when it is done. */
export async function step(name, work) {
  say(`${name} …`);
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  const timer = setInterval(() => say(`${name} … (${seconds()} so far)`), STILL_BUSY_EVERY_MS);
  try {
    const result = await work();
    say(`${name}: done in ${seconds()}`);
    return result;
  } catch (thrown) {
    say(`${name}: failed after ${seconds()}`);
    throw thrown;
  } finally {
    clearInterval(timer);
  }
}

function excerpt(output) {
  const lines = output.trimEnd().split("\n");
  if (lines.length <= HEAD_LINES + TAIL_LINES) return lines.join("\n");
  return [...lines.slice(0, HEAD_LINES), "  [...]", ...lines.slice(-TAIL_LINES)].join("\n");
}

/** Lowers the priority of a child process that has just been started, and of all that it will start. */
export function yieldProcessor(child, niceness) {
  if (child.pid && niceness > 0) setPriority(child.pid, niceness);
}

/**
 * Runs a command without showing its output; a failure is an Error with the first and last lines of it.
 * `niceness`: of its processes, from 0 (this process's) to 19; other options are those of `spawn`.
 */
export function runQuietly(command, args, { niceness = 0, ...options } = {}) {
  return new Promise((resolve, reject) => {
    if (isStopping) throw new Error("Stopped.");
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    yieldProcessor(child, niceness);
    running.add(child);
    let output = "";
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(child);
      if (code === 0) return resolve(output);
      const how = signal ?? `code ${code}`;
      reject(new Error(`${[command, ...args].join(" ")} ended with ${how}:\n${excerpt(output)}`));
    });
  });
}

/** Ends the commands of {@link runQuietly}, starts no more, and resolves when they have ended. The next start repeats them. */
export async function stopCommands() {
  isStopping = true;
  const ended = [...running].map((child) => {
    const kill = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
    child.kill("SIGTERM");
    return new Promise((resolve) => child.once("close", resolve)).then(() => clearTimeout(kill));
  });
  await Promise.all(ended);
}
