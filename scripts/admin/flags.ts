/** The options of a command, as given on the command line. */
import type { z } from "zod";
import { toApiError } from "@/server/core/errors";

export type Flags = Partial<Record<string, string | boolean>>;

/** The text of an option; undefined when it was not given. */
export function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

/** The text of an option. @throws Error when it was not given. */
export function required(flags: Flags, name: string): string {
  const value = text(flags, name);
  if (value === undefined) throw new Error(`--${name} is missing.`);
  return value;
}

/** The number of an option; undefined when it was not given. @throws Error for anything else. */
export function decimal(flags: Flags, name: string): number | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  if (!/^-?\d+(\.\d{1,6})?$/.test(value))
    throw new Error(`--${name} must be a number such as 25.00, with up to six decimals, not "${value}".`);
  return Number(value);
}

/** The entries of a comma-separated option. */
export const entries = (value: string): string[] => value.split(",").map((entry) => entry.trim());

/** Options whose names differ from the input fields that they set. */
const OPTION_OF: Readonly<Record<string, string>> = { company_name: "company", permissions: "scopes" };

/**
 * The input of an operation, from options.
 * @param renamed options of this command with different names than elsewhere, by field.
 * @throws Error that explains the problem and names the option.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: Partial<Record<keyof z.input<Schema>, unknown>>,
  renamed: Readonly<Record<string, string>> = {},
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const { param, message } = toApiError({ code: "BAD_REQUEST", cause: parsed.error }).wire;
  const field = /^\w*/.exec(param ?? "")?.[0] ?? "";
  const option = renamed[field] ?? OPTION_OF[field] ?? field.replaceAll("_", "-");
  throw new Error(`--${option}: ${message.slice(`${param}: `.length)}`);
}
