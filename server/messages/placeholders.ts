/** Texts with placeholders, such as `Hello {{name}}`, filled in for each recipient. Runs in the browser too. */

/**
 * A name in double braces, without braces in it; spaces at either end do not count. One that is longer than a variable's is a
 * placeholder too: as text, it would reach the recipients.
 */
const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;

/** The names of a text's placeholders, each once, in the order of their first use. */
export const placeholdersOf = (body: string): string[] => [
  ...new Set([...body.matchAll(PLACEHOLDER)].map(([, name = ""]) => name.trim())),
];

/** A text with its placeholders replaced; `missing`: those that have no value. Placeholders within a value are not replaced. */
export function fillIn(
  body: string,
  variables: Readonly<Record<string, string>>,
): { body: string; missing: readonly string[] } {
  const missing = new Set<string>();
  const filled = body.replace(PLACEHOLDER, (placeholder, written: string) => {
    const name = written.trim();
    if (Object.hasOwn(variables, name)) return variables[name] ?? "";
    missing.add(name);
    return placeholder;
  });
  return { body: filled, missing: [...missing] };
}
