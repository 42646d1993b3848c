/** The command line: finds the command, reads its options, calls the API. */
import { parseArgs } from "node:util";
import { ApiError, MessagingClient } from "../client.js";
import { COMMANDS, type Command, UsageError, type Values } from "./commands.js";

/** The surroundings of a run, so that tests can replace them. */
export type Terminal = {
  environment: Record<string, string | undefined>;
  print: (line: string) => void;
  printError: (line: string) => void;
  /** Interrupts the command. */
  signal: AbortSignal;
};

const COMMON = {
  "api-key": { type: "string", value: "<key>", help: "the API key; default: API_KEY of the environment" },
  "base-url": { type: "string", value: "<url>", help: "URL of the API; default: BASE_URL of the environment" },
  json: { type: "boolean", value: "", help: "print JSON, one object per line" },
  help: { type: "boolean", value: "", help: "print this help" },
} as const;

/** The command whose words begin the arguments, and the arguments after them. */
function commandOf(argv: readonly string[]): { command: Command; rest: string[] } | null {
  for (const command of COMMANDS) {
    const words = command.name.split(" ");
    if (words.every((word, at) => argv[at] === word)) return { command, rest: argv.slice(words.length) };
  }
  return null;
}

const helpOf = ({ name, operands = [], options, help }: Command): string => {
  const rows = Object.entries({ ...options, ...COMMON }).map(
    ([option, { value, help: text }]) => `  ${`--${option} ${value}`.trim().padEnd(26)}${text}`,
  );
  return [`messaging-service ${[name, ...operands].join(" ")}`, `  ${help}`, "", ...rows].join("\n");
};

const OVERVIEW_WIDTH = 24;

/** A command that is wider than its column has its help on the next line. */
const rowOf = ({ name, operands = [], help }: Command): string => {
  const words = [name, ...operands].join(" ");
  const isWide = words.length > OVERVIEW_WIDTH - 2;
  return isWide ? `  ${words}\n  ${" ".repeat(OVERVIEW_WIDTH)}${help}` : `  ${words.padEnd(OVERVIEW_WIDTH)}${help}`;
};

const overview = (): string =>
  [
    "Usage: messaging-service <command> [options]",
    "",
    ...COMMANDS.map(rowOf),
    "",
    "The API's URL and key come from BASE_URL and API_KEY, or from --base-url and --api-key.",
    "`messaging-service <command> --help` lists the options of a command.",
  ].join("\n");

/** Reads a command's options. @throws UsageError naming the wrong or missing one. */
function read(command: Command, rest: string[]): { values: Values; operands: string[] } {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: rest, options: { ...command.options, ...COMMON }, allowPositionals: true });
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const { operands = [], options, required = [] } = command;
  const values = parsed.values as Values;
  if (values.help) return { values, operands: [] };
  const missing = required.find((option) => values[option] === undefined);
  if (missing) throw new UsageError(`--${missing} ${options[missing]?.value} is missing.`);
  if (parsed.positionals.length !== operands.length) {
    throw new UsageError(
      operands.length === 0 ? `Unexpected argument ${parsed.positionals[0]}.` : `Give ${operands.join(" ")}.`,
    );
  }
  return { values, operands: parsed.positionals };
}

function setting(values: Values, environment: Terminal["environment"], option: string, name: string): string {
  const value = values[option] ?? environment[name];
  if (typeof value !== "string" || value === "") throw new UsageError(`Set ${name}, or give --${option}.`);
  return value;
}

/** An error in one or more lines, with everything needed to act on it. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof ApiError)) return thrown instanceof Error ? thrown.message : String(thrown);
  const facts = [thrown.reason ?? thrown.code, thrown.param && `param ${thrown.param}`, thrown.requestId];
  return `${thrown.status} ${thrown.message} (${facts.filter(Boolean).join(", ")})`;
}

/** Runs a command. @returns the exit code: 0, 1 when it failed or was interrupted, 2 when the command line is wrong. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { environment, print, printError, signal } = terminal;
  if (argv.length === 0 || ["help", "--help", "-h"].includes(argv[0] ?? "")) {
    print(overview());
    return 0;
  }
  const found = commandOf(argv);
  try {
    if (!found) throw new UsageError(`There is no command ${argv[0]}. \`messaging-service help\` lists them.`);
    const { values, operands } = read(found.command, found.rest);
    if (values.help) {
      print(helpOf(found.command));
      return 0;
    }
    const baseUrl = setting(values, environment, "base-url", "BASE_URL");
    if (!URL.canParse(baseUrl)) throw new UsageError(`${baseUrl} is not a URL.`);
    const client = new MessagingClient({ baseUrl, apiKey: setting(values, environment, "api-key", "API_KEY") });
    const show = (item: object, line: string) => print(values.json ? JSON.stringify(item) : line);
    await found.command.run({ client, values, operands, show, printError, signal });
    return 0;
  } catch (thrown) {
    if (signal.aborted && found?.command.isEndless) return 0;
    printError(describe(thrown));
    return thrown instanceof UsageError ? 2 : 1;
  }
}
