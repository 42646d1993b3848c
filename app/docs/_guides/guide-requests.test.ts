/** Compares the requests and objects that documents show with the API document. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { marked } from "marked";
import { describe, expect, test } from "vitest";

type Schema = { properties?: Record<string, { const?: string }> };
type Operation = {
  parameters?: { $ref?: string; in?: string; name?: string }[];
  requestBody?: { content: { "application/json": { schema: { $ref: string } } } };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** The address that documents use. */
const BASE_URL = "http://localhost:3000/api/v1";
const API_KEY = "ds_test_guide";
/** The key of an example in which fields are left out. */
const LEFT_OUT = "…";
/** The body of an alert, as the alert URL of an account gets it: no object of the API. */
const ALERT = "alert";

const document = JSON.parse(readFileSync("openapi.json", "utf8")) as Document;
const { schemas } = document.components;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, "document");

const propertiesOf = (schema: string): string[] => Object.keys(schemas[schema]?.properties ?? {});

/** The faults of an object that has all its fields: unknown names, and violations of the schema. */
function faultsOf(schema: string, value: object): unknown[] {
  const unknown = Object.keys(value).filter((name) => !propertiesOf(schema).includes(name));
  const validate = ajv.getSchema(`document#/components/schemas/${schema}`);
  if (!validate) throw new Error(`There is no schema ${schema}.`);
  return validate(value) ? unknown : [...unknown, ...(validate.errors ?? [])];
}

/** The code blocks of all documents for callers and operators. */
const BLOCKS = ["README.md", ...readdirSync("docs").map((name) => path.join("docs", name))]
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) =>
    marked
      .lexer(readFileSync(file, "utf8"))
      .flatMap((token) => (token.type === "code" ? [{ file, lang: token.lang, text: token.text as string }] : [])),
  );

/** A request as a curl command makes it. `headers` by their names in lower case. */
type Sent = { file: string; method: string; url: string; headers: Record<string, string>; body: string | null };

/** Reads the arguments of a curl command. Every option that documents use has a value. */
function sentBy(file: string, args: string[]): Sent {
  const sent: Sent = { file, method: "", url: "", headers: {}, body: null };
  for (let at = 0; at < args.length; at += 1) {
    const option = args[at] ?? "";
    if (!option.startsWith("-")) {
      sent.url = option;
      continue;
    }
    at += 1;
    const value = args[at] ?? "";
    const [name = "", ...text] = value.split(": ");
    if (option === "-X") sent.method = value;
    if (option === "-H") sent.headers[name.toLowerCase()] = text.join(": ");
    if (option === "-d") sent.body = value;
  }
  return { ...sent, method: sent.method || (sent.body === null ? "GET" : "POST") };
}

/**
 * The requests to this API of the curl commands in a block. A function stands for curl, so that nothing is sent, and no other command is
 * found.
 */
function requestsIn({ file, text }: { file: string; text: string }): Sent[] {
  const script = `curl() { printf '%s\\0' "$@"; printf '\\0'; }\n${text}`;
  const { stdout, status } = spawnSync("/bin/sh", ["-c", script], {
    encoding: "utf8",
    env: { PATH: "", NODE_ENV: "test", BASE_URL, API_KEY },
  });
  if (status !== 0) throw new Error(`A command in ${file} ended with ${status}.`);
  const commands = stdout.split("\0\0").filter((command) => command !== "");
  return commands
    .map((command) => sentBy(file, command.split("\0")))
    .filter(({ url }) => url.startsWith(`${BASE_URL}/`));
}

const REQUESTS = BLOCKS.filter(({ lang, text }) => lang === "sh" && /^curl /m.test(text)).flatMap(requestsIn);

describe("the curl commands of the documents", () => {
  test("are found", () => {
    expect(new Set(REQUESTS.map(({ file }) => file)).size).toBeGreaterThan(7);
    expect(REQUESTS.length).toBeGreaterThan(12);
  });

  test.each(REQUESTS)("$file: $method $url is a request of the API document", (sent) => {
    const { pathname, searchParams } = new URL(sent.url);
    const asked = decodeURI(pathname).replace("/api/v1", "");
    const matches = (route: string) => new RegExp(`^${route.replace(/\{\w+\}/g, "[a-z]+_…")}$`).test(asked);
    const [, methods] = Object.entries(document.paths).find(([route]) => matches(route)) ?? [];
    const operation = methods?.[sent.method.toLowerCase()];
    if (!operation) throw new Error(`There is no ${sent.method} ${asked}.`);

    const schema = operation.requestBody?.content["application/json"].schema.$ref.split("/").at(-1);
    expect(schema === undefined).toBe(sent.body === null);
    if (schema !== undefined) expect(faultsOf(schema, JSON.parse(sent.body ?? ""))).toEqual([]);

    const { parameters = [] } = operation;
    const mayBeKeyed = parameters.some(({ $ref }) => $ref?.endsWith("/IdempotencyKey"));
    const { "idempotency-key": key, ...others } = sent.headers;
    expect(key === undefined || mayBeKeyed).toBe(true);
    const json = sent.body === null ? {} : { "content-type": "application/json" };
    expect(others).toEqual({ authorization: `Bearer ${API_KEY}`, ...json });
    const names = parameters.flatMap(({ $ref, name }) => name ?? $ref?.split("/").at(-1)?.toLowerCase() ?? []);
    expect(names).toEqual(expect.arrayContaining([...searchParams.keys()]));
  });
});

/** The schema of a request's body, by fields that only its operation has. */
function requestOf(value: object): string | null {
  if ("recipients" in value) return "SendBulkRequest";
  if ("to" in value) return "SendMessageRequest";
  if ("url" in value) return "CreateWebhookRequest";
  return "send_at" in value ? "RescheduleMessageRequest" : null;
}

const EXAMPLES = BLOCKS.filter(({ lang }) => lang === "json").map(({ file, text }) => ({
  file,
  value: JSON.parse(text) as Record<string, unknown>,
}));

describe("the JSON of the documents", () => {
  const bodies = EXAMPLES.flatMap(({ file, value }) => {
    const schema = "object" in value || "success" in value ? null : requestOf(value);
    return schema === null ? [] : [{ file, schema, value }];
  });
  const objects = EXAMPLES.flatMap(({ file, value }) => {
    const found = value.success === true ? value.data : value;
    const isObject = typeof found === "object" && found !== null && "object" in found && found.object !== ALERT;
    return isObject ? [{ file, value: found }] : [];
  });

  test("is found", () => {
    expect(bodies.length).toBeGreaterThan(5);
    expect(objects.length).toBeGreaterThan(4);
  });

  test.each(bodies)("$file shows a $schema that the service takes", ({ schema, value }) => {
    expect(faultsOf(schema, value)).toEqual([]);
  });

  test.each(objects)("$file shows a $value.object as responses have it", ({ value }) => {
    const [schema = ""] = Object.keys(schemas).filter((name) => {
      const { object, type } = (schemas[name]?.properties ?? {}) as Record<string, { const?: string; enum?: string[] }>;
      const isOfType = !("type" in value) || type?.const === value.type || type?.enum?.includes(String(value.type));
      return object?.const === value.object && isOfType;
    });
    const isWhole = !JSON.stringify(value).includes(`"${LEFT_OUT}":`);
    const unknown = Object.keys(value).filter((name) => name !== LEFT_OUT && !propertiesOf(schema).includes(name));
    expect(isWhole ? faultsOf(schema, value) : unknown).toEqual([]);
  });
});
