/** The command line: finds the command, reads its options, calls the API. */
import { parseArgs } from "node:util";
import { MessagingClient } from "../client.js";
import { VERSION } from "../version.js";
import { COMMANDS, type Command, UsageError, type Values, webUrl } from "./commands.js";
import { describe } from "./words.js";

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
  help: { type: "boolean", short: "h", value: "", help: "print this help" },
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

/** Help for all commands, or for those that begin with one word. */
const overview = (commands: readonly Command[] = COMMANDS): string =>
  [
    "Usage: messaging-service <command> [options]",
    "",
    ...commands.map(rowOf),
    "",
    "The API's URL and key come from BASE_URL and API_KEY, or from --base-url and --api-key.",
    "`messaging-service <command> --help` lists the options of a command.",
  ].join("\n");

/** The text for arguments that name no command: help or the version. @throws UsageError that lists the commands that begin with the first of them. */
function textWithoutCommand([word = "", ...rest]: readonly string[]): string {
  if (["help", "--help", "-h", ""].includes(word)) return overview();
  if (["version", "--version"].includes(word)) return VERSION;
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
  if (group.length === 0) throw new UsageError(`There is no command ${word}. \`messaging-service help\` lists them.`);
  if (rest.some((option) => ["--help", "-h"].includes(option))) return overview(group);
  const names = group.map(({ name }) => name).join(", ");
  throw new UsageError(`There is no command ${[word, ...rest.slice(0, 1)].join(" ")}: ${names}.`);
}

/** The platform's message about a wrong option. For an unknown one it adds advice on arguments that begin with a dash, so that gets our own. */
function optionProblem(thrown: unknown, command: Command): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  const [, option = ""] = /'(-[^']*)'/.exec(message) ?? [];
  if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return message;
  return `There is no option ${option}. \`messaging-service ${command.name} --help\` lists them.`;
}

/** Reads a command's options. @throws UsageError naming the wrong or missing one. */
function read(command: Command, rest: string[]): { values: Values; operands: string[] } {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: rest, options: { ...command.options, ...COMMON }, allowPositionals: true });
  } catch (thrown) {
    throw new UsageError(optionProblem(thrown, command));
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

/** Runs a command. @returns the exit code: 0, 1 when it failed or was interrupted, 2 when the command line is wrong. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { environment, print, printError, signal } = terminal;
  const found = commandOf(argv);
  let baseUrl = "";
  try {
    if (!found) {
      print(textWithoutCommand(argv));
      return 0;
    }
    const { values, operands } = read(found.command, found.rest);
    if (values.help) {
      print(helpOf(found.command));
      return 0;
    }
    baseUrl = webUrl(setting(values, environment, "base-url", "BASE_URL"));
    const apiKey = setting(values, environment, "api-key", "API_KEY");
    const client = new MessagingClient({ baseUrl, apiKey, userAgent: `messaging-service-cli/${VERSION}` });
    const show = (item: object, line: string) => print(values.json ? JSON.stringify(item) : line);
    await found.command.run({ client, baseUrl, version: VERSION, values, operands, show, printError, signal });
    return 0;
  } catch (thrown) {
    if (signal.aborted && found?.command.isEndless) return 0;
    printError(describe(thrown, baseUrl));
    return thrown instanceof UsageError ? 2 : 1;
  }
}
