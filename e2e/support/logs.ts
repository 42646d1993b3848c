/** The logs of the processes of a run, searched for texts, numbers and secrets, which must not stand in them. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Service } from "./service";

/** Files of the processes that `npm start` started, in its data folder. */
const OF_THE_SERVICE = ["web.log", "worker.log"];
/** Shorter texts stand in any log by chance. */
const TEXT_MIN = 10;
/** A text that is logged is logged from its beginning. */
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

/** The needle of a value as JSON lines would have it; null when it is too short to be told from others. */
function needleOf(value: string): string | null {
  const digits = value.replace(/[\s()+-]/g, "");
  if (/^\d+$/.test(digits)) return digits.length >= DIGITS_MIN ? digits : null;
  const beginning = value.slice(0, TEXT_LOOKED_AT);
  // One word may be the name of anything.
  if (value.length < TEXT_MIN || !/\s|[^\x20-\x7e]/.test(beginning)) return null;
  return JSON.stringify(beginning).slice(1, -1);
}

/** The lines of a log that hold what must not be logged, each with its reason. */
export function leaksIn(log: string, values: readonly string[]): string[] {
  const needles = [...new Set(values.map(needleOf))].filter((needle) => needle !== null);
  const found = needles.filter((needle) => log.includes(needle));
  const lines = log.split("\n");
  const shown = (reason: string, isFound: (line: string) => boolean) => {
    const line = lines.find(isFound);
    return line === undefined ? [] : [`${reason}: ${line.slice(0, 500)}`];
  };
  return [
    ...found.flatMap((needle) => shown(needle, (line) => line.includes(needle))),
    ...Object.entries(FORMS).flatMap(([reason, form]) => shown(reason, (line) => form.test(line))),
  ];
}
