/**
 * What comes next for a message: a provider; nothing now, because those that are left are held, of which `provider` is the
 * first; or nothing any more.
 */
export type NextProvider = { kind: "provider" | "unavailable"; provider: string } | { kind: "none" };

/**
 * The first provider of the chain that has not been tried and is not held; one that stands in it twice is tried twice.
 * An open or drained provider is skipped, not failed: it keeps its place for later.
 */
export function nextProvider(
  chain: readonly string[],
  tried: readonly string[],
  isUnavailable: (provider: string) => boolean,
): NextProvider {
  const left = [...chain];
  for (const provider of tried) {
    const at = left.indexOf(provider);
    if (at !== -1) left.splice(at, 1);
  }
  const [first] = left;
  if (first === undefined) return { kind: "none" };
  const provider = left.find((candidate) => !isUnavailable(candidate));
  return provider === undefined ? { kind: "unavailable", provider: first } : { kind: "provider", provider };
}
