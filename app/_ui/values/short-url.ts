const LENGTH_MAX = 80;
/** Characters kept at the end, where addresses of one site often differ. */
const END = 24;

/** A URL for a list. A long one is shortened in its middle; the endpoint's page shows all of it. */
export function shortUrl(url: string): string {
  const characters = [...url];
  if (characters.length <= LENGTH_MAX) return url;
  return `${characters.slice(0, LENGTH_MAX - END - 1).join("")}…${characters.slice(-END).join("")}`;
}
