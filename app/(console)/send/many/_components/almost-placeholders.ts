/** A column that a text names in another way than `{{name}}`. */
export type AlmostPlaceholder = { written: string; meant: string };

/** Ways in which other programs write placeholders, and double braces, which are ours. */
const WRITTEN = /\$?\{{1,5}([^{}]{1,100})\}{1,5}|\[([^[\]]{1,100})\]|<([^<>]{1,100})>|%([^%]{1,100})%/g;
const isOurs = (written: string) => /^\{\{[^{}]+\}\}$/.test(written);

/** Finds, each once, names of columns in the notation of another program: recipients would read `{name}` in their message. */
export function almostPlaceholders(body: string, columns: readonly string[]): AlmostPlaceholder[] {
  const found = new Map<string, AlmostPlaceholder>();
  for (const [written, ...names] of body.matchAll(WRITTEN)) {
    const name = names
      .find((each) => each !== undefined)
      ?.trim()
      .toLowerCase();
    const column = columns.find((each) => each.toLowerCase() === name);
    if (column !== undefined && !isOurs(written)) found.set(written, { written, meant: `{{${column}}}` });
  }
  return [...found.values()];
}

/** The text with all of them replaced. */
export const replaceAlmost = (body: string, found: readonly AlmostPlaceholder[]): string =>
  body.replace(WRITTEN, (written) => found.find((each) => each.written === written)?.meant ?? written);
