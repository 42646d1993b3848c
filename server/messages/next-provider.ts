/** What comes next for a message: a provider; nothing now, because those that are left are held; or nothing any more. */
export type NextProvider = { kind: "provider"; provider: string } | { kind: "held" } | { kind: "none" };

/**
 * The first provider of the chain that has not been tried and is not held; one that stands in it twice is tried twice. An open or drained provider is skipped, not
 * failed: it keeps its place for later.
 */
export function nextProvider(
  chain: readonly string[],
  tried: readonly string[],
  isHeld: (provider: string) => boolean,
): NextProvider {
  const left = [...chain];
  for (const provider of tried) {
    const at = left.indexOf(provider);
    if (at !== -1) left.splice(at, 1);
  }
  if (left.length === 0) return { kind: "none" };
  const provider = left.find((candidate) => !isHeld(candidate));
  return provider === undefined ? { kind: "held" } : { kind: "provider", provider };
}
