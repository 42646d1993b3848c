/** Whether a browser sent a request on behalf of a page of another site, which may be trying to use its visitor's session. */

export type SentBy = {
  /** The header `Sec-Fetch-Site`, which no page can set; older browsers and plain http have none. */
  fetchSite: string | undefined;
  /** The header `Origin`; requests that no browser sent have none. */
  origin: string | undefined;
  /** The header `Host`. */
  host: string | undefined;
  /** Where people reach the service, scheme and host. */
  publicOrigin: string;
};

const ORIGIN_MAX = 300;

/** A subdomain of ours is another site here: only our own pages may change anything. */
export function isCrossSite({ fetchSite, origin, host, publicOrigin }: SentBy): boolean {
  if (fetchSite !== undefined) return fetchSite !== "same-origin" && fetchSite !== "none";
  if (origin === undefined || origin === publicOrigin) return false;
  if (origin.length > ORIGIN_MAX || host === undefined) return true;
  // Compared as text: the scheme may differ behind a proxy that ends TLS, the host may not.
  return origin !== `http://${host}` && origin !== `https://${host}`;
}
