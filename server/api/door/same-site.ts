/** Tells whether a browser sent a request for a page of another site, which may be trying to use its visitor's session. */

export type SentBy = {
  /** The header `Sec-Fetch-Site`, which no page can set; older browsers do not send it, nor does any over plain http. */
  fetchSite: string | undefined;
  /** The header `Origin`; requests from programs other than browsers have none. */
  origin: string | undefined;
  /** The header `Host`. */
  host: string | undefined;
  /** Where people reach the service, scheme and host. */
  publicOrigin: string;
};

const ORIGIN_MAX = 300;

/** Our subdomains count as other sites here: only our own pages may change anything. */
export function isCrossSite({ fetchSite, origin, host, publicOrigin }: SentBy): boolean {
  if (fetchSite !== undefined) return fetchSite !== "same-origin" && fetchSite !== "none";
  if (origin === undefined || origin === publicOrigin) return false;
  if (origin.length > ORIGIN_MAX || host === undefined) return true;
  // Compared as text: the scheme may differ behind a proxy that ends TLS, the host may not.
  return origin !== `http://${host}` && origin !== `https://${host}`;
}
