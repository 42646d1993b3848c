/** The options of a command, as they were written. */

export type Flags = Partial<Record<string, string | boolean>>;

/** The text of an option; undefined when it was not given, or is empty. */
export function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" && value !== "" ? value : undefined;
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
  if (!/^-?\d+(\.\d{1,6})?$/.test(value)) throw new Error(`--${name} must be a number such as 25.00, not "${value}".`);
  return Number(value);
}

/** The entries of an option with commas. */
export const entries = (value: string): string[] => value.split(",").map((entry) => entry.trim());
