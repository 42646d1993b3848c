/**
 * Host names to addresses, for names that customers choose. The system's resolver (`dns.lookup`) works in four threads
 * for the whole process and cannot be told to stop: a few names whose servers keep silent would hold up all others. So
 * the name servers are asked directly, each question on its own and with a limit.
 */
import { Resolver, lookup as systemLookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { hasStalledSince, stalledMs, startDeadline } from "../core/deadline";
import type { LookupAll } from "./ssrf-guard";

type Addresses = Awaited<ReturnType<LookupAll>>;

type ResolveOptions = {
  /** Name servers, `address:port`, instead of the machine's own. */
  servers?: readonly string[];
  hostsFile?: string;
  /** The system's resolver. */
  system?: LookupAll;
  /** For all questions about one name. */
  limitMs?: number;
};

const LIMIT_MS = 5_000;
/** The first wait for a name server; it is doubled for the second question. */
const TRY_MS = 1_500;
const TRIES = 2;
/** The root: every name server has something to say about it. */
const PROBE_NAME = ".";
const PROBE_LIMIT_MS = 1_500;
const HOSTS_FILE =
  process.platform === "win32" ? path.join("C:", "Windows", "System32", "drivers", "etc", "hosts") : "/etc/hosts";

/** What c-ares calls it when no name server said anything; all other failures are answers. */
const UNANSWERED = new Set(["ETIMEOUT", "ECANCELLED", "ECONNREFUSED", "ENOSERVER"]);
/** Lookups of one name in a row when this process stands still during each, so that the answers come too late. */
const LOOKUPS_MAX = 3;
const RESOLVER_SILENT = "RESOLVER_SILENT";

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";

/** Whether a lookup failed because this machine's name servers answer nothing, which no name is to blame for. */
export const isResolverSilent = (thrown: unknown): boolean => codeOf(thrown) === RESOLVER_SILENT;

/**
 * Makes a lookup. Names of the hosts file, names without a dot and those below `localhost` are the machine's own affair
 * and go to the system's resolver; all others are asked of DNS as they stand, without the machine's search domains.
 * It rejects when a name has no address; see {@link isResolverSilent}.
 */
export function createLookup(options: ResolveOptions = {}): LookupAll {
  const { servers, hostsFile = HOSTS_FILE, limitMs = LIMIT_MS, system = lookupBySystem } = options;
  const makeResolver = (): Resolver => {
    // A new one knows the machine's name servers of now, and can be stopped alone.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    return resolver;
  };
  return async (hostname) => {
    const name = hostname.toLowerCase();
    // Never a name, so nobody needs to be asked (RFC 6761, 6.4).
    if (name.endsWith(".invalid")) throw Object.assign(new Error(`${name} is no name.`), { code: "ENOTFOUND" });
    if (!name.includes(".") || name.endsWith(".localhost") || (await namesIn(hostsFile)).has(name)) {
      return system(name);
    }
    for (let lookups = 1; ; lookups += 1) {
      const markMs = stalledMs();
      try {
        return await askAddresses(makeResolver(), name, limitMs);
      } catch (thrown) {
        if (!UNANSWERED.has(codeOf(thrown))) throw thrown;
        const isStalled = hasStalledSince(markMs);
        if (isStalled && lookups < LOOKUPS_MAX) continue;
        if (!isStalled && (await isAnswering(makeResolver()))) throw thrown;
        throw Object.assign(new Error("The name servers of this machine do not answer.", { cause: thrown }), {
          code: RESOLVER_SILENT,
        });
      }
    }
  };
}

const lookupBySystem: LookupAll = (name) => systemLookup(name, { all: true, verbatim: true });

/** Names that the hosts file has an address for. Read anew, since it may change under a running process. */
async function namesIn(hostsFile: string): Promise<Set<string>> {
  const text = await readFile(hostsFile, "utf8").catch(() => "");
  const names = text.split("\n").flatMap((line) => (line.split("#")[0] ?? "").trim().split(/\s+/).slice(1));
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Ends when the limit is over, whatever the name servers do. */
async function within<T>(resolver: Resolver, limitMs: number, ask: () => Promise<T>): Promise<T> {
  const deadline = startDeadline(limitMs, () => resolver.cancel());
  try {
    return await ask();
  } finally {
    deadline.clear();
  }
}

async function askAddresses(resolver: Resolver, name: string, limitMs: number): Promise<Addresses> {
  const [four, six] = await within(resolver, limitMs, () =>
    Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]),
  );
  const addresses = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  const reasons: unknown[] = [four, six].flatMap((asked) => (asked.status === "rejected" ? [asked.reason] : []));
  // One answer shows that the name servers are there.
  throw reasons.find((reason) => !UNANSWERED.has(codeOf(reason))) ?? reasons[0];
}

/** Whether the name servers say anything at all. */
const isAnswering = (resolver: Resolver): Promise<boolean> =>
  within(resolver, PROBE_LIMIT_MS, () => resolver.resolveNs(PROBE_NAME)).then(
    () => true,
    (thrown: unknown) => !UNANSWERED.has(codeOf(thrown)),
  );
