/** Compares the request of a vendor's library with our adapter's. */

/** A request on its way to a vendor. Header names are in lower case; `url` has the vendor's own host. */
export type SentRequest = { method: string; url: string; headers: Record<string, string>; body: string };

export type Comparison = {
  checks: number;
  /** Descriptions of the differences; empty: there are none. */
  differences: string[];
};

/** For the vendor, `true` and `1` in a form, or a number and its text, are the same. */
const textOf = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** The fields of a body by their paths, such as `messages[0].to`. */
export function fieldsOf({ body, headers }: Pick<SentRequest, "body" | "headers">): Map<string, string> {
  const fields = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    if (Array.isArray(value)) for (const [at, one] of value.entries()) add(`${path}[${at}]`, one);
    else if (typeof value === "object" && value !== null)
      for (const [name, one] of Object.entries(value)) add(path === "" ? name : `${path}.${name}`, one);
    else if (value !== undefined && value !== null) fields.set(path, textOf(value));
  };
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) {
    for (const [name, value] of new URLSearchParams(body)) add(name, value);
  } else if (body !== "") add("", JSON.parse(body));
  return fields;
}

/** Times may be written with or without milliseconds. */
const sameValue = (one: string | undefined, other: string | undefined): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && /^\d{4}-\d\d-\d\dT/.test(one) && Date.parse(one) === Date.parse(other));

/**
 * Compares method, address, kind of body, and every field of either request.
 * @param options.credentials reads the credentials of a request, which libraries put in different places.
 * @param options.unlike names of facts and fields that are not compared, because the library cannot or need not send them, or
 *   generates them.
 */
export function compare(
  theirs: SentRequest,
  ours: SentRequest,
  options: { credentials: (request: SentRequest) => string | undefined; unlike?: readonly string[] },
): Comparison {
  const [their, our] = [fieldsOf(theirs), fieldsOf(ours)];
  const kindOf = ({ headers }: SentRequest) => headers["content-type"]?.split(";")[0];
  const facts: [name: string, theirs: string | undefined, ours: string | undefined][] = [
    ["method", theirs.method, ours.method],
    ["address", theirs.url, ours.url],
    ["kind of body", kindOf(theirs), kindOf(ours)],
    ["credentials", options.credentials(theirs), options.credentials(ours)],
  ];
  const unlike = new Set(options.unlike ?? []);
  for (const name of new Set([...their.keys(), ...our.keys()])) {
    facts.push([name, their.get(name), our.get(name)]);
  }
  const compared = facts.filter(([name]) => !unlike.has(name));
  const differences = compared
    .filter(([, one, other]) => !sameValue(one, other))
    .map(([name, one, other]) => `${name}: the library sends ${one ?? "nothing"}, the adapter ${other ?? "nothing"}`);
  return { checks: compared.length, differences };
}
