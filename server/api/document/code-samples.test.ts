import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { installedLanguages, runSamples, startSample } from "@/test/samples/run-sample";
import { signPayload } from "../../webhooks/delivery/signature";
import { inGo, inPhp, inPython, inShell } from "./code-literals";
import { exampleIdOf } from "./code-samples";

type Sample = { lang: string; label: string; source: string };
type Operation = {
  operationId: string;
  parameters?: { $ref?: string }[];
  requestBody?: { content: { "application/json": { examples?: Record<string, { value: unknown }> } } };
  "x-codeSamples"?: Sample[];
};
type Document = { paths: Record<string, Record<string, Operation>>; webhooks: Record<string, { post: Operation }> };
type Seen = { method: string; path: string; body: unknown; authorization: string; isKeyed: boolean };

const LABELS = ["curl", "Node", "Python", "PHP", "Go"];
/** The API key of an operation's sample, which identifies its requests. */
const keyOf = (operationId: string) => `ds_live_sample_${operationId}`;
/** A response that fits any operation, as far as the clients look into it. */
const ANSWER = JSON.stringify({
  success: true,
  data: { data: [] },
  pagination: { page: 1, limit: 20, total: 0, pages: 0, has_more: false },
  meta: { request_id: "req_1", api_version: "v1" },
});

const seen: Seen[] = [];

async function record(request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  seen.push({
    method: request.method ?? "",
    path: (request.url ?? "").split("?")[0] ?? "",
    body: text === "" ? null : JSON.parse(text),
    authorization: request.headers.authorization ?? "",
    isKeyed: request.headers["idempotency-key"] !== undefined,
  });
}

const server = createServer((request, response) => {
  record(request).then(() => {
    response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
  });
});

let document: Document;
beforeAll(async () => {
  Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { openApiText } = await import("./openapi");
  document = JSON.parse(openApiText(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
});
afterAll(() => {
  server.close();
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** The request that every sample of an operation must make. */
function requestOf({ path, method, operation }: ReturnType<typeof operations>[number]): Seen {
  const examples = operation.requestBody?.content["application/json"].examples ?? {};
  return {
    method,
    path: `/api/v1${path.replace("{id}", exampleIdOf(path))}`,
    body: Object.values(examples)[0]?.value ?? null,
    authorization: `Bearer ${keyOf(operation.operationId)}`,
    isKeyed: (operation.parameters ?? []).some(({ $ref }) => $ref?.endsWith("/IdempotencyKey")),
  };
}

test("every operation has a sample in each language, and every webhook one in those that can receive it", () => {
  expect(operations().length).toBeGreaterThan(25);
  for (const { operation } of operations()) {
    expect(
      operation["x-codeSamples"]?.map(({ label }) => label),
      operation.operationId,
    ).toEqual(LABELS);
  }
  for (const { post } of Object.values(document.webhooks)) {
    expect(post["x-codeSamples"]?.map(({ label }) => label)).toEqual(LABELS.slice(1));
  }
});

test("every path with an id has an example of that id", () => {
  const paths = operations().map(({ path }) => path);
  expect(paths.filter((path) => path.includes("{id}") && exampleIdOf(path) === "…")).toEqual([]);
});

test("curl and Node are among the languages that are run", () => {
  expect(installedLanguages()).toEqual(expect.arrayContaining(["curl", "Node"]));
});

describe.each(installedLanguages())("the samples in %s", (language) => {
  test("make the requests of their operations", { timeout: 300_000 }, async () => {
    seen.length = 0;
    const samples = operations().map(({ operation: { operationId, "x-codeSamples": all = [] } }) => ({
      name: operationId,
      source: all.find(({ label }) => label === language)?.source ?? "",
      variables: { API_KEY: keyOf(operationId) },
    }));
    await runSamples(language, samples);
    expect(seen).toEqual(operations().map(requestOf));
  });
});

describe.each(installedLanguages().filter((language) => language !== "curl"))("the receiver in %s", (language) => {
  test("acknowledges an event of every type", async () => {
    const secret = `whsec_${Buffer.from("a secret of the test").toString("base64")}`;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const samples = document.webhooks["message.received"]?.post["x-codeSamples"] ?? [];
    const source = samples.find(({ label }) => label === language)?.source.replaceAll("4000", String(port)) ?? "";
    const receiver = await startSample(language, source, { SIGNING_SECRET: secret }, port);
    try {
      const post = (body: string, headers: Record<string, string>) =>
        fetch(url, { method: "POST", body, headers }).then(({ status }) => status, String);
      await expect.poll(() => post("{}", {})).toBe(400);
      for (const [type, { post: operation }] of Object.entries(document.webhooks)) {
        const event = Object.values(operation.requestBody?.content["application/json"].examples ?? {})[0]?.value;
        const rawBody = JSON.stringify(event);
        const signature = signPayload([secret], Math.floor(Date.now() / 1_000), rawBody);
        expect(await post(rawBody, { "service-signature": signature }), `${type} ${receiver.printed()}`).toBe(204);
      }
      await expect.poll(receiver.printed).toContain("message.received");
    } finally {
      await receiver.stop();
    }
  });
});

test("texts with quotes survive in every language", () => {
  expect(inShell("it's")).toBe("'it'\\''s'");
  expect(inPhp({ text: "it's \\ $5", none: null })).toBe("['text' => 'it\\'s \\\\ $5', 'none' => null]");
  expect(inPython({ text: 'say "hi"', yes: true, list: [1, null] })).toBe(
    '{"text": "say \\"hi\\"", "yes": True, "list": [1, None]}',
  );
  expect(inGo("a `b`")).toBe('"a `b`"');
  expect(inGo('{"a": 1}')).toBe('`{"a": 1}`');
});
