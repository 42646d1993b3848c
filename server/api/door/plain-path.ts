/**
 * Whether a path is already normalised. Next resolves `..` and `%2e%2e` before it looks for a page, a file or a route: such a path
 * would be judged here as one thing, and served there as another.
 */
export function isPlainPath(path: string): boolean {
  try {
    return new URL(`http://localhost${path}`).pathname === path;
  } catch {
    return false;
  }
}
