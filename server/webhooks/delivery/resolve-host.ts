/**
 * Resolves host names that customers choose. The system's resolver (`dns.lookup`) shares four threads in the whole
 * process and cannot be canceled, so a few names with silent name servers would block all others. Therefore the name
 * servers are queried directly, each query separately and with a time limit.
 */
import { Resolver, lookup as systemLookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { hasStalledSince, stalledMs, startDeadline } from "../../core/deadline";
import type { LookupAll } from "./ssrf-guard";

type Addresses = Awaited<ReturnType<LookupAll>>;

type ResolveOptions = {
  /** Name servers, `address:port`, instead of the machine's own. */
  servers?: readonly string[];
  hostsFile?: string;
  /** The system's resolver. */
  system?: LookupAll;
  /** For all queries for one name. */
  limitMs?: number;
};

const LIMIT_MS = 5_000;
/** Timeout of the first query to a name server; doubled for the second. */
const TRY_MS = 1_500;
const TRIES = 2;
/** The root zone: every name server responds to queries for it. */
const PROBE_NAME = ".";
const PROBE_LIMIT_MS = 1_500;
const HOSTS_FILE =
  process.platform === "win32" ? path.join("C:", "Windows", "System32", "drivers", "etc", "hosts") : "/etc/hosts";

/** Error codes of c-ares when no name server responded; every other failure is a response. */
const UNANSWERED = new Set(["ETIMEOUT", "ECANCELLED", "ECONNREFUSED", "ENOSERVER"]);
/** Lookups of one name in a row if stalls of this process make the responses too late. */
const LOOKUPS_MAX = 3;
const RESOLVER_SILENT = "RESOLVER_SILENT";

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";

/** Whether a lookup failed because this machine's name servers do not respond: a failure of ours, not of the name. */
export const isResolverSilent = (thrown: unknown): boolean => codeOf(thrown) === RESOLVER_SILENT;

/**
 * Makes a lookup. Names in the hosts file, names without a dot and names below `localhost` go to the system's resolver, which
 * knows the services of a private network that the operator allowed; all others are queried from DNS as they are, without
 * the machine's search domains. The lookup rejects when a name has no address; see {@link isResolverSilent}.
 */
export function createLookup(options: ResolveOptions = {}): LookupAll {
  const { servers, hostsFile = HOSTS_FILE, limitMs = LIMIT_MS, system = lookupBySystem } = options;
  const makeResolver = (): Resolver => {
    // A new resolver reads the machine's current name servers, and can be canceled separately.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    return resolver;
  };
  return async (hostname) => {
    const name = hostname.toLowerCase();
    // Never resolves, so no query is needed (RFC 6761, 6.4).
    if (name.endsWith(".invalid")) throw Object.assign(new Error(`${name} is no name.`), { code: "ENOTFOUND" });
    if (!name.includes(".") || name.endsWith(".localhost") || (await namesIn(hostsFile)).has(name)) {
      return system(name);
    }
    for (let lookups = 1; ; lookups += 1) {
      const markMs = stalledMs();
      try {
        return await queryAddresses(makeResolver(), name, limitMs);
      } catch (thrown) {
        if (!UNANSWERED.has(codeOf(thrown))) throw thrown;
        const isStalled = hasStalledSince(markMs);
        if (isStalled && lookups < LOOKUPS_MAX) continue;
        if (!isStalled && (await isResponding(makeResolver()))) throw thrown;
        throw Object.assign(new Error("The name servers of this machine do not respond.", { cause: thrown }), {
          code: RESOLVER_SILENT,
        });
      }
    }
  };
}

const lookupBySystem: LookupAll = (name) => systemLookup(name, { all: true, verbatim: true });

/** Names with an address in the hosts file. Read every time, since the file may change while the process runs. */
async function namesIn(hostsFile: string): Promise<Set<string>> {
  const text = await readFile(hostsFile, "utf8").catch(() => "");
  const names = text.split("\n").flatMap((line) => (line.split("#")[0] ?? "").trim().split(/\s+/).slice(1));
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Cancels the queries of `resolver` after `limitMs`. */
async function within<T>(resolver: Resolver, limitMs: number, query: () => Promise<T>): Promise<T> {
  const deadline = startDeadline(limitMs, () => resolver.cancel());
  try {
    return await query();
  } finally {
    deadline.clear();
  }
}

async function queryAddresses(resolver: Resolver, name: string, limitMs: number): Promise<Addresses> {
  const [four, six] = await within(resolver, limitMs, () =>
    Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]),
  );
  const addresses = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  const reasons: unknown[] = [four, six].flatMap((query) => (query.status === "rejected" ? [query.reason] : []));
  // A response, even a negative one, shows that the name servers are up.
  throw reasons.find((reason) => !UNANSWERED.has(codeOf(reason))) ?? reasons[0];
}

/** Whether the name servers respond at all. */
const isResponding = (resolver: Resolver): Promise<boolean> =>
  within(resolver, PROBE_LIMIT_MS, () => resolver.resolveNs(PROBE_NAME)).then(
    () => true,
    (thrown: unknown) => !UNANSWERED.has(codeOf(thrown)),
  );
