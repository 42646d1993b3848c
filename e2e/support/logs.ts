/** Searches the logs of a run's processes for texts, numbers and secrets, which must not be there. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Service } from "./service";

/** Files of the processes that `npm start` started, in its data folder. */
const OF_THE_SERVICE = ["web.log", "worker.log"];
/** Shorter texts occur in any log by chance. */
const TEXT_MIN = 10;
/** Characters of a text that are searched for: a logged text would be logged from its beginning. */
const TEXT_LOOKED_AT = 40;
const DIGITS_MIN = 9;

const ownLogs = (dataDir: string): string => path.join(dataDir, "own-logs");
const confidential = (service: Service): string => path.join(service.dataDir, "confidential.txt");

/** The file for the output of a process that a test starts. */
export function ownLog(service: Service, pid: number): string {
  mkdirSync(ownLogs(service.dataDir), { recursive: true });
  return path.join(ownLogs(service.dataDir), `${pid}.log`);
}

/** Every log of the run, by the file's name. */
export function readLogs({ dataDir }: Service): Map<string, string> {
  const own = existsSync(ownLogs(dataDir)) ? readdirSync(ownLogs(dataDir)).map((name) => `own-logs/${name}`) : [];
  return new Map([...OF_THE_SERVICE, ...own].map((name) => [name, readFileSync(path.join(dataDir, name), "utf8")]));
}

/** Lines that a report of a failed test shows. */
const SHOWN_MAX = 20;

/** The last warnings and errors that the service has logged since a time. Some may come from concurrent tests. */
export function graveLines({ dataDir }: Service, since: Date): string[] {
  const files = OF_THE_SERVICE.map((name) => path.join(dataDir, name)).filter(existsSync);
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const isGrave = (line: string) => {
    const [, at = ""] = /"level":"(?:warn|error)","at":"([^"]+)"/.exec(line) ?? [];
    return at >= since.toISOString();
  };
  return lines.filter(isGrave).slice(-SHOWN_MAX);
}

/** Fields of requests and responses whose values must not be logged. */
const FIELDS = new Set(["body", "text", "to", "from", "from_number", "to_number", "number", "password", "metadata"]);
const noted = new Set<string>();

/** The texts below those fields. Without recursion: the fuzzing nests a thousand deep. */
function* valuesIn(body: unknown): Generator<string> {
  const waiting = [{ value: body, isNoted: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, isNoted } = next;
    if (typeof value === "string" && isNoted) yield value;
    if (typeof value !== "object" || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      waiting.push({ value: inner, isNoted: isNoted || (!Array.isArray(value) && FIELDS.has(name)) });
    }
  }
}

/** Notes the texts and numbers of a request and its response. */
export function noteConfidential(service: Service, ...bodies: unknown[]): void {
  const fresh = bodies.flatMap((body) => [...valuesIn(body)]).filter((value) => !noted.has(value));
  for (const value of fresh) noted.add(value);
  if (fresh.length === 0) return;
  appendFileSync(confidential(service), fresh.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

/** Everything that was noted in this run, by any test process. */
export function readConfidential(service: Service): string[] {
  const file = confidential(service);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return [...new Set(lines)].map((line) => JSON.parse(line) as string);
}

/** Secrets of any value, by their form. */
const FORMS: Record<string, RegExp> = {
  "an API key": /ds_(?:live|test)_[0-9A-Za-z]{32}/,
  "a webhook secret": /whsec_[A-Za-z0-9+/]{20,}/,
  "a session": /session-token=[^;"\s]{10,}/i,
  "an authorization": /\b(?:bearer|basic) [\w+/=.-]{16,}/i,
  "a receipt's secret path": /\/api\/receipts\/[a-z-]+\/[\w-]{8,}/,
  "a private key": /-----BEGIN [A-Z ]*PRIVATE KEY/,
};

/** The needle of a value as JSON lines would have it; null when it is too short to be distinctive. */
function needleOf(value: string): string | null {
  const digits = value.replace(/[\s()+-]/g, "");
  if (/^\d+$/.test(digits)) return digits.length >= DIGITS_MIN ? digits : null;
  const beginning = value.slice(0, TEXT_LOOKED_AT);
  // A single word may be the name of anything.
  if (value.length < TEXT_MIN || !/\s|[^\x20-\x7e]/.test(beginning)) return null;
  return JSON.stringify(beginning).slice(1, -1);
}

/** Length of the beginning by which needles are looked up; every needle is longer. */
const BEGINNING = 8;

/** A hash of the characters at `at`: for most places in a log, no needle begins with that hash. */
const hashAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 3)) * 31 + text.charCodeAt(at + 7)) & 0xffff;

/** The line around a place in a log. */
const lineAt = (log: string, at: number): string => {
  const end = log.indexOf("\n", at);
  return log.slice(log.lastIndexOf("\n", at) + 1, end < 0 ? undefined : end).slice(0, 500);
};

/**
 * Searches a log in one pass for values that must not be logged: one by one, thousands of values in megabytes of logs would take
 * a minute.
 * @returns a function that lists the found values, each with the line of its first occurrence.
 */
export function leakSearch(values: readonly string[]): (log: string) => string[] {
  const byBeginning = new Map<string, string[]>();
  const hashes = new Uint8Array(0x10000);
  for (const needle of new Set(values.map(needleOf).filter((each) => each !== null))) {
    const beginning = needle.slice(0, BEGINNING);
    const known = byBeginning.get(beginning);
    if (known) known.push(needle);
    else byBeginning.set(beginning, [needle]);
    hashes[hashAt(beginning, 0)] = 1;
  }
  return (log) => {
    const places = new Map<string, number>();
    for (let at = 0; at + BEGINNING <= log.length; at += 1) {
      if (hashes[hashAt(log, at)] === 0) continue;
      for (const needle of byBeginning.get(log.slice(at, at + BEGINNING)) ?? []) {
        if (!places.has(needle) && log.startsWith(needle, at)) places.set(needle, at);
      }
    }
    for (const [reason, form] of Object.entries(FORMS)) {
      const at = log.search(form);
      if (at >= 0) places.set(reason, at);
    }
    return [...places].map(([reason, at]) => `${reason}: ${lineAt(log, at)}`);
  };
}
