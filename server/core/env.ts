import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { defineProcessValue, plainError } from "./process";

const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean),
  );
/** Former keys, separated by commas: each with and without the space around it, because SECRET_KEY keeps its own. */
const formerKeys = z
  .string()
  .default("")
  .transform((text) => {
    const entries = text.split(",").filter((entry) => entry.trim() !== "");
    return [...new Set(entries.flatMap((entry) => [entry, entry.trimStart(), entry.trimEnd(), entry.trim()]))];
  });
const isAddress = (text: string): boolean => isIP(text) !== 0;
const isCidr = (text: string): boolean => isAddress(text.split("/")[0] ?? "") && ipaddr.isValidCIDR(text);
const networks = (isEntry: (text: string) => boolean, form: string) =>
  list.refine((entries) => entries.every(isEntry), `each entry must be ${form}`);
const flagOf = (fallback: "true" | "false") =>
  z
    .enum(["true", "false"], "must be true or false")
    .default(fallback)
    .transform((text) => text === "true");
const flag = flagOf("false");
const unlessFalse = flagOf("true");
const wholeNumber = (least: number, most: number) => {
  const form = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(form).int(form).min(least, form).max(most, form);
};
const count = (fallback: number, least: number, most: number) => wholeNumber(least, most).default(fallback);
const oneOf = <const Value extends string>(first: Value, ...others: Value[]) =>
  z.enum([first, ...others], `must be ${[first, ...others].join(", ").replace(/, (?=[^,]*$)/, " or ")}`);

/** An http(s) URL. Without its scheme `localhost:3000` would be a URL of the scheme `localhost`. */
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });

/**
 * The URL of a proxy. A path, a query, a fragment or an invalid port is refused: it may be the end of a password with a character
 * that has to be encoded.
 */
const proxyUrl = z
  .string()
  .refine(
    isProxyUrl,
    "must be an http:// or https:// URL with a host and without a path, and special characters of user and password percent-encoded",
  );

function isProxyUrl(text: string): boolean {
  if (!URL.canParse(text) || /\s/.test(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol) || hostname === "" || (pathname !== "/" && pathname !== "")) return false;
  // The first of two "@" would belong to the password, and a user with ":" cannot be distinguished from its password.
  if (search !== "" || hash !== "" || /@.*@/.test(text) || text.endsWith("?") || text.endsWith("#")) return false;
  try {
    return !decodeURIComponent(username).includes(":") && decodeURIComponent(password) !== null;
  } catch {
    return false;
  }
}

/** The form of an address that is no URL yet; the usual cause is a password with special characters. */
export const URL_FORM =
  "must be a URL, with special characters of user and password percent-encoded (@ is %40, # is %23, / is %2F)";
const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "must be a postgresql:// URL")
  .refine(isDatabaseUrl, URL_FORM);

/**
 * Whether an address is taken as it was meant. Of a password with special characters, `#` and `/` would end the host, and the rest would be
 * taken for a path or left out.
 */
function isWholeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { pathname, hash } = new URL(text);
  return !pathname.includes("@") && !hash.includes("@");
}

/** The same for the address of a database, which may have no host. */
export function isDatabaseUrl(text: string): boolean {
  return isWholeUrl(text) || isWholeUrl(text.replace("@/", "@localhost/"));
}

/** Every setting of the service. Defaults are safe in production; `.describe` states the purpose. */
export const Settings = z.object({
  NODE_ENV: oneOf("production", "development", "test").default("production").describe("build mode"),
  DATABASE_URL: postgresUrl.describe(
    "the PostgreSQL database that holds everything, e.g. postgresql://user:password@host:5432/name",
  ),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe("the same database past a pooler, for LISTEN, session locks and migrations; without it DATABASE_URL"),
  DATABASE_READ_URL: postgresUrl
    .optional()
    .describe("a streaming standby for lists, search and usage; without it they read from DATABASE_URL"),
  DATABASE_STATEMENT_NAMES: unlessFalse.describe(
    "false sends no prepared statements, for a pooler that cannot keep them, such as PgBouncer before 1.21",
  ),
  SECRET_KEY: z
    .string()
    .min(32, "must have at least 32 characters")
    .describe("the secret that signs sessions and encrypts webhook secrets; e.g. from `openssl rand -base64 32`"),
  SECRET_KEY_PREVIOUS: formerKeys
    .refine((keys) => keys.every((key) => key.trim().length >= 32), "each must have at least 32 characters")
    .describe("former values of SECRET_KEY, separated by commas, whose secrets and sessions stay valid"),
  PORT: count(3000, 1, 65_535).describe("the port of the web process"),
  HOST: z.string().min(1).default("127.0.0.1").describe("the address that the web process binds to"),
  PUBLIC_URL: httpUrl
    .optional()
    .describe("the address under which people and providers reach the service, e.g. https://sms.example.com"),
  PUBLIC_URL_PREVIOUS: list
    .refine((urls) => urls.every((url) => httpUrl.safeParse(url).success), "each must be an http:// or https:// URL")
    .describe("former values of PUBLIC_URL, separated by commas, for which callbacks of providers may still be signed"),
  TRUSTED_PROXIES: networks((text) => isAddress(text) || isCidr(text), "an address or CIDR range").describe(
    "addresses or CIDR ranges of reverse proxies whose X-Forwarded-For is believed",
  ),
  CONSOLE: unlessFalse.describe(
    "false makes a web process serve the API and receipts only, without the console and the guides",
  ),
  PAGES_NICENESS: count(10, 0, 19).describe(
    "how far the pages process gives way when processors are busy; 0: not at all",
  ),
  DATABASE_POOL_SIZE: count(10, 5, 200).describe("database connections per process"),
  WEBHOOK_ALLOWED_NETWORKS: networks(isCidr, "a CIDR range").describe(
    "private CIDR ranges that webhooks may reach, e.g. 10.1.0.0/16",
  ),
  PROVIDER_PROXY_URL: proxyUrl
    .optional()
    .describe("the HTTP proxy through which providers are called, e.g. http://user:password@proxy.example.com:3128"),
  WEBHOOK_PROXY_URL: proxyUrl
    .optional()
    .describe("the HTTP proxy through which webhooks are sent, e.g. http://user:password@proxy.example.com:3128"),
  WEBHOOK_PROXY_GUARDS: flag.describe(
    "true leaves it to the proxy of WEBHOOK_PROXY_URL to resolve names and to refuse private addresses",
  ),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(mailto:|https:\/\/|tel:)\S+$/, "must begin with mailto:, https:// or tel:")
    .optional()
    .describe("where to report vulnerabilities, shown at /.well-known/security.txt, e.g. mailto:security@example.com"),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/\S+$/, "must be an smtp:// or smtps:// URL")
    .refine(isWholeUrl, URL_FORM)
    .optional()
    .describe(
      "the mail server for invitations, forgotten passwords, alerts and notices of changed sign-ins, e.g. smtps://user:password@mail.example.com",
    ),
  MAIL_FROM: z
    .string()
    .regex(/^[^@\r\n]+@[^@\r\n]+$/, "must be an email address, with or without a name before it in <>")
    .default("Messaging Service <no-reply@localhost>")
    .describe("the sender of emails, e.g. Messaging Service <no-reply@example.com>"),
  SIGN_UP_OPEN: flag.describe("true lets anybody create an account in the console"),
  SENDER_AUTO_APPROVE_S: count(0, 0, 86_400).describe(
    "seconds after which a new sender is approved by itself, unless, without SANDBOX, it is a number that another account has; 0: never",
  ),
  SANDBOX: flag.describe(
    "true enables the sandbox, a built-in provider that only pretends to send, for live messages too",
  ),
  ON_UNKNOWN_OUTCOME: oneOf("fallback", "hold")
    .default("fallback")
    .describe(
      "what to do when a provider may or may not have taken a message: fallback (try the next one) or hold (wait for a receipt)",
    ),
  PROVIDER_TIMEOUT_MS: count(15_000, 100, 120_000).describe(
    "milliseconds that a provider has to respond; after that it is unknown whether it took the message",
  ),
  RECEIPT_PATH_DAYS: count(7, 4, 365).describe(
    "days for which a receipt URL stays valid after it was sent with a message or replaced by an operator",
  ),
  ACCOUNT_RATE_FACTOR: count(5, 1, 1_000).describe(
    "requests per minute of an account, keys and people together, as a multiple of the highest rate among its keys",
  ),
  FAILED_AT_ONCE_PER_DAY: count(20_000, 0, 1_000_000_000).describe(
    "messages of an account per UTC day that may fail when they are accepted, in addition to as many as are sent; 0: no limit",
  ),
  TEST_MESSAGES_PER_DAY: count(10_000, 0, 1_000_000_000).describe(
    "messages that an account may send per UTC day in test mode, where nothing has a price; 0: no limit",
  ),
  FLOOD_IDENTICAL_PER_HOUR: count(6, 0, 1_000_000).describe(
    "messages of the same text that an account may send to one number within an hour; 0: no limit",
  ),
  FLOOD_TOTAL_PER_HOUR: count(20, 0, 1_000_000).describe(
    "messages in all that an account may send to one number within an hour; 0: no limit",
  ),
  DISPATCH_CONCURRENCY: count(32, 1, 500).describe(
    "dispatch jobs that a worker runs at once; they mostly wait for providers",
  ),
  WORKER_CONCURRENCY: count(4, 1, 200).describe("receipt jobs that a worker runs at once"),
  WEBHOOK_CONCURRENCY: count(128, 1, 2_000).describe("webhook jobs that a worker runs at once"),
  AUDIT_KEPT_DAYS: count(400, 1, 36_500).describe("days for which entries of the audit log are kept"),
  REQUEST_LOG: oneOf("off", "errors", "all")
    .default("all")
    .describe(
      "API requests that accounts see in their request log for seven days: off, errors (status 400 and up) or all",
    ),
  REQUEST_LOG_TEXTS: flag.describe("true keeps texts of messages in the request log; otherwise only their lengths"),
  RETENTION_MESSAGES_DAYS: count(0, 0, 36_500).describe(
    "days after which messages that ended are deleted with all that belongs to them; 0: never",
  ),
  RETENTION_BODIES_DAYS: count(0, 0, 36_500).describe(
    "days after which the texts of messages that ended are deleted; 0: never",
  ),
  RETENTION_EVENTS_DAYS: count(0, 0, 36_500).describe(
    "days after which the events of messages that ended are deleted with their deliveries; 0: never",
  ),
  RETENTION_RECEIPTS_DAYS: count(0, 0, 36_500).describe(
    "days after which the delivery receipts of messages that ended are deleted; 0: never",
  ),
  RETENTION_INBOUND_DAYS: count(0, 0, 36_500).describe(
    "days after which inbound messages are deleted with their events; 0: never",
  ),
  READY_QUEUE_LAG_MAX_S: count(300, 0, 86_400).describe(
    "seconds that the oldest due job may have waited before /api/health/ready responds 503; 0: any",
  ),
  READY_HEARTBEAT_AGE_MAX_S: count(30, 0, 86_400).describe(
    "seconds since any worker's last heartbeat before /api/health/ready responds 503; 0: any",
  ),
  METRICS_PORT: wholeNumber(1, 65_535)
    .optional()
    .describe("the port of /metrics, of the web process and of each worker; without it there is none"),
  METRICS_HOST: z.string().min(1).default("127.0.0.1").describe("the address that /metrics binds to"),
  METRICS_TOKEN: z
    .string()
    .min(16, "must have at least 16 characters")
    .optional()
    .describe("the bearer token of a scrape; required when METRICS_HOST is not loopback"),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe("the collector that gets traces, e.g. http://127.0.0.1:4318; without it nothing is traced"),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf("http/protobuf", "http/json")
    .default("http/protobuf")
    .describe("how traces are sent to the collector: http/protobuf or http/json"),
  LOG_REQUESTS: flag.describe("true logs a line per request and job, at level info"),
  LOG_LEVEL: oneOf("debug", "info", "warn", "error", "silent").default("info").describe("lowest level that is logged"),
});

export type Env = z.output<typeof Settings>;

/**
 * A setting without the space around it: a value from a file, such as a secret of an orchestrator, often ends with a line break. Keys stay
 * as they are, because what they have sealed opens with no other.
 */
const withoutSpace = (name: string, value: string): string => (name.startsWith("SECRET_KEY") ? value : value.trim());

/**
 * Reads the settings from `source`, without the space around them. An empty or blank setting counts as not set.
 * @throws Error that names every missing or wrong setting at once, each with its purpose.
 */
export function readEnv(source: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(
    Object.entries(source).flatMap(([name, value = ""]) =>
      value.trim() === "" ? [] : [[name, withoutSpace(name, value)]],
    ),
  );
  const parsed = Settings.safeParse(given);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const purpose = Settings.shape[name as keyof typeof Settings.shape]?.description ?? "";
    const problem = given[name] === undefined ? "is missing" : `is wrong (${issue.message})`;
    return `  ${name} ${problem}: ${purpose}`;
  });
  throw plainError(`Settings are missing or wrong:\n${lines.join("\n")}`);
}

/** `accountSid` of twilio -> `TWILIO_ACCOUNT_SID`. */
export const providerVariable = (provider: string, setting: string): string =>
  `${provider}_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase();

/** A provider's settings in the environment, by the provider's own names, without the space around them. */
export function providerEnvironment(provider: string, settings: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    settings.flatMap((name) => {
      const value = process.env[providerVariable(provider, name)]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** Environment variables that name a proxy for other programs; this one ignores them. */
export const foreignProxies = (): string[] =>
  ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].filter(
    (name) => process.env[name],
  );

/** The settings of this process, read and checked at the first call. @throws Error as {@link readEnv} */
export const env = defineProcessValue("env", () => readEnv(process.env));

/** The environment of a child process: ours, except for these settings. */
export const environmentWith = (
  settings: Partial<Record<Exclude<keyof Env, "NODE_ENV">, string>>,
): NodeJS.ProcessEnv => ({
  ...process.env,
  ...settings,
});

/** The key ring: SECRET_KEY, which seals and signs, and the former ones, which still open. */
export const secretKeys = (): readonly [string, ...string[]] => [env().SECRET_KEY, ...env().SECRET_KEY_PREVIOUS];

/** The database past any pooler: sessions there last as long as their connections. */
export const directDatabaseUrl = (): string => env().DATABASE_DIRECT_URL ?? env().DATABASE_URL;

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, "");

/** The address under which the service is reached, without a trailing slash. */
export function publicUrl(): string {
  const { PUBLIC_URL, HOST, PORT } = env();
  const reachable = HOST === "0.0.0.0" || HOST === "::" ? "localhost" : HOST;
  const host = isIP(reachable) === 6 ? `[${reachable}]` : reachable;
  return withoutSlash(PUBLIC_URL ?? `http://${host}:${PORT}`);
}

/** {@link publicUrl}, then the former ones, which stand in receipt URLs of messages under way and in providers' consoles. */
export const publicUrls = (): readonly [string, ...string[]] => [
  publicUrl(),
  ...env().PUBLIC_URL_PREVIOUS.map(withoutSlash),
];

/**
 * Sets the address and secret of next-auth, which reads them from the environment only, unless they are set already.
 */
export function exportSettings(): void {
  process.env.NEXTAUTH_URL ??= publicUrl();
  process.env.NEXTAUTH_SECRET ??= env().SECRET_KEY;
}
