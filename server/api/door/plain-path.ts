/**
 * Whether a path is already normalized. Next resolves `..` and `%2e%2e` before it looks for a page, a file or a route: this check
 * would judge one path, and Next would serve another.
 */
export function isPlainPath(path: string): boolean {
  try {
    return new URL(`http://localhost${path}`).pathname === path;
  } catch {
    return false;
  }
}

const UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/**
 * A path whose letters, digits and `-._~` are not percent-encoded. Both spellings mean the same (RFC 3986, 6.2.2.2), and some clients
 * encode more than necessary. Other characters keep their encoding: `%2F` is not a slash.
 */
export const withPlainLetters = (path: string): string =>
  path.includes("%") ? path.replace(UNRESERVED, (encoded) => decodeURIComponent(encoded)) : path;
