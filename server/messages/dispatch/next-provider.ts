/**
 * The next provider of a message. `unavailable`: all that remain are unavailable now, the first of them being `provider`.
 * `none`: the chain is exhausted.
 */
export type NextProvider = { kind: "provider" | "unavailable"; provider: string } | { kind: "none" };

/**
 * The first untried and available provider of the chain; one that is listed twice is tried twice. An unavailable provider
 * is skipped, not failed: it keeps its place for later.
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
