import { expect, test } from "vitest";
import { env, providerEnvironment, publicUrl, readEnv } from "./env";

const good = { DATABASE_URL: "postgresql://user:secret@localhost:5432/service", SECRET_KEY: "k".repeat(32) };

test("the defaults are safe in production", () => {
  expect(readEnv(good)).toMatchObject({
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: 3000,
    SIGN_UP_OPEN: false,
    SENDER_AUTO_APPROVE_S: 0,
    SANDBOX: false,
    WEBHOOK_ALLOWED_NETWORKS: [],
    TRUSTED_PROXIES: [],
    ON_UNKNOWN_OUTCOME: "fallback",
  });
});

test("all missing and wrong settings are named together, with their purpose and without their value", () => {
  const read = () => readEnv({ SECRET_KEY: "short", PORT: "70000", SANDBOX: "yes", DATABASE_URL: "" });
  expect(read).toThrow(/DATABASE_URL is missing: the PostgreSQL database/);
  expect(read).toThrow(/SECRET_KEY is wrong \(must have at least 32 characters\): the secret that signs sessions/);
  expect(read).toThrow(/PORT is wrong \(must be a whole number from 1 to 65535\)/);
  expect(read).toThrow(/SANDBOX is wrong \(must be true or false\)/);
  expect(read).not.toThrow(/short/);
  const readWords = () => readEnv({ ...good, PORT: "abc", LOG_LEVEL: "loud" });
  expect(readWords).toThrow(/PORT is wrong \(must be a whole number from 1 to 65535\)/);
  expect(readWords).toThrow(/LOG_LEVEL is wrong \(must be debug, info, warn, error or silent\)/);
});

test("a blank setting counts as not set: it never sets a limit to 0, which would lift it", () => {
  expect(readEnv({ ...good, FLOOD_IDENTICAL_PER_HOUR: " ", PORT: "\t" })).toMatchObject({
    FLOOD_IDENTICAL_PER_HOUR: 6,
    PORT: 3000,
  });
});

test.each(["not-a-cidr", "10.0.0.0/33", "10.0.0.0/8,nonsense"])(
  "the wrong network list %j is refused at start",
  (list) => {
    expect(() => readEnv({ ...good, WEBHOOK_ALLOWED_NETWORKS: list })).toThrow(/WEBHOOK_ALLOWED_NETWORKS is wrong/);
    expect(() => readEnv({ ...good, TRUSTED_PROXIES: list })).toThrow(/TRUSTED_PROXIES is wrong/);
  },
);

test.each([
  "localhost:3000",
  "sms.example.com:8443",
  "sms.example.com",
  "ftp://sms.example.com",
  "http:sms.example.com",
])("%j is not an HTTP address, and is refused at start", (address) => {
  const isWrong = (name: string) => new RegExp(`${name} is wrong \\(must be an http:// or https:// URL\\)`);
  for (const name of ["PUBLIC_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"]) {
    expect(() => readEnv({ ...good, [name]: address })).toThrow(isWrong(name));
  }
});

test.each([
  "http://localhost:3000",
  "https://sms.example.com/",
  "HTTPS://sms.example.com",
  "http://[::1]:3000",
  "http://10.1.2.3",
])("%j is an HTTP address", (address) => {
  expect(readEnv({ ...good, PUBLIC_URL: address, OTEL_EXPORTER_OTLP_ENDPOINT: address })).toMatchObject({
    PUBLIC_URL: address,
    OTEL_EXPORTER_OTLP_ENDPOINT: address,
  });
});

test.each([
  "proxy.example.com:3128",
  "socks5://user:hunter2@proxy.example.com:1080",
  "http://user:hunter2@",
  "http://user:hunter2@proxy.example.com:99999",
  "http://user:hunter2@proxy.example.com:3128/path",
  "http://user:hunter2@proxy.example.com:3128?x=1",
  "http://user:hunter2@proxy.example.com:3128#x",
  "http://user:hunter2#1@proxy.example.com:3128",
  "http://user:2/hunter2@proxy.example.com:3128",
  "http://user:2?hunter2@proxy.example.com:3128",
  "http://user:hunter2@1@proxy.example.com:3128",
  "http://user:hunter2%@proxy.example.com:3128",
  "http://us%3Aer:hunter2@proxy.example.com:3128",
  "http://user:hunter2 @proxy.example.com:3128",
])("%j is not a proxy address, and is refused at start without showing its password", (url) => {
  for (const name of ["PROVIDER_PROXY_URL", "WEBHOOK_PROXY_URL"]) {
    const read = () => readEnv({ ...good, [name]: url });
    expect(read).toThrow(new RegExp(`${name} is wrong \\(must be an http:// or https:// URL with a host`));
    expect(read).not.toThrow(/hunter2/);
  }
});

test.each([
  "http://proxy.example.com",
  "https://proxy.example.com:3129/",
  "http://10.1.2.3:3128",
  "http://[fd00::3]:3128",
  "http://user:hunter2@proxy.example.com:3128",
  "http://do%5Cuser:p%40ss%3A%2F%23@proxy.example.com:3128",
])("%j is a proxy address", (url) => {
  expect(readEnv({ ...good, PROVIDER_PROXY_URL: url }).PROVIDER_PROXY_URL).toBe(url);
});

test.each([
  "postgresql://user:hunter#2@localhost:5432/service",
  "postgresql://user:hunter/2@localhost:5432/service",
  "postgresql://user:1#2@localhost:5432/service",
  "postgresql://user:1/2@localhost:5432/service",
  "postgresql://user:hunter2@one:5432,two:5432/service",
  "postgresql://user:hunter2@localhost:port/service",
])("%j is not a database address, and is refused at start without showing its password", (url) => {
  for (const name of ["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_READ_URL"]) {
    const read = () => readEnv({ ...good, [name]: url });
    expect(read).toThrow(new RegExp(`${name} is wrong \\(must be a URL, with special characters .* percent-encoded`));
    expect(read).not.toThrow(/hunter/);
  }
});

test.each([
  "smtps://user:hunter#2@mail.example.com",
  "smtps://user:1/2@mail.example.com",
  "smtp://mail.example.com:port",
])("%j is not the address of a mail server, and is refused at start", (url) => {
  expect(() => readEnv({ ...good, SMTP_URL: url })).toThrow(
    /SMTP_URL is wrong \(must be a URL, with special characters/,
  );
});

test.each([
  "smtp://mail.example.com",
  "smtps://user%40example.com:hunter%232@mail.example.com:465/?pool=true",
  "smtps://user:hunter@2@mail.example.com",
])("%j is the address of a mail server", (url) => {
  expect(readEnv({ ...good, SMTP_URL: url }).SMTP_URL).toBe(url);
});

test.each([
  "postgres://localhost",
  "postgresql://user@localhost/service",
  "postgresql://user:hunter%232%2F%40@[::1]:5432/service?sslmode=verify-full",
  "postgresql://user:hunter@2@localhost/service",
  "postgresql:///service?host=/var/run/postgresql",
  "postgresql://user:secret@/service?host=/var/run/postgresql",
  "postgresql://user:secret@%2Fvar%2Frun%2Fpostgresql/service",
])("%j is a database address", (url) => {
  expect(readEnv({ ...good, DATABASE_URL: url }).DATABASE_URL).toBe(url);
});

test("lists are split and trimmed", () => {
  expect(readEnv({ ...good, TRUSTED_PROXIES: " 10.0.0.1 , ::1/128," }).TRUSTED_PROXIES).toEqual([
    "10.0.0.1",
    "::1/128",
  ]);
});

test("the line break at the end of a value from a file does not count, also in provider settings", () => {
  const fromFiles = { PORT: "8080\n", HOST: "0.0.0.0\n", SANDBOX: "true\n", METRICS_TOKEN: `${"t".repeat(16)}\n` };
  expect(readEnv({ ...good, ...fromFiles, MAIL_FROM: " sms@example.com\r\n" })).toMatchObject({
    ...{ PORT: 8080, HOST: "0.0.0.0", SANDBOX: true, METRICS_TOKEN: "t".repeat(16), MAIL_FROM: "sms@example.com" },
  });
  Object.assign(process.env, { VONAGE_API_KEY: "key\n", VONAGE_API_SECRET: "\n" });
  expect(providerEnvironment("vonage", ["apiKey", "apiSecret"])).toEqual({ apiKey: "key" });
});

test("a key is used as it is written, and opens as a former key in the same spelling", () => {
  const fromFile = `${good.SECRET_KEY}\n`;
  const other = "o".repeat(32);
  expect(readEnv({ ...good, SECRET_KEY: fromFile }).SECRET_KEY).toBe(fromFile);
  for (const list of [fromFile, `${other}, ${fromFile}`, `${fromFile}, ${other}`]) {
    const former = readEnv({ ...good, SECRET_KEY_PREVIOUS: list }).SECRET_KEY_PREVIOUS;
    expect(former).toEqual(expect.arrayContaining([fromFile, fromFile.trim()]));
    if (list.includes(other)) expect(former).toContain(other);
  }
  expect(() => readEnv({ ...good, SECRET_KEY_PREVIOUS: `short${" ".repeat(32)}` })).toThrow(
    /SECRET_KEY_PREVIOUS is wrong \(each must have at least 32 characters\)/,
  );
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["0.0.0.0", "http://localhost:3000"],
  ["::", "http://localhost:3000"],
  ["::1", "http://[::1]:3000"],
  ["sms.internal", "http://sms.internal:3000"],
])("HOST %j is reached under %s", (host, url) => {
  Object.assign(process.env, good);
  Object.assign(env(), { ...readEnv({ ...good, HOST: host }), PUBLIC_URL: undefined });
  expect(publicUrl()).toBe(url);
  expect(new URL(publicUrl()).origin).toBe(url);
});
