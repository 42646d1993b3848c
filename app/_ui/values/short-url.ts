const LENGTH_MAX = 80;
/** Characters of the end that stay: addresses of one site often differ there. */
const END = 24;

/** A URL for a list: a long one without its middle, since its page shows all of it. */
export function shortUrl(url: string): string {
  const characters = [...url];
  if (characters.length <= LENGTH_MAX) return url;
  return `${characters.slice(0, LENGTH_MAX - END - 1).join("")}…${characters.slice(-END).join("")}`;
}
