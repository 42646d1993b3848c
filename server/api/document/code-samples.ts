/** Code samples of an operation: curl, Node and Python with the project's clients, PHP and Go with their standard libraries. */
import { inGo, inJs, inPhp, inPython, inShell, pythonName, snakeCase } from "./code-literals";
import { API_KEY, DELIVERED, ENDPOINT, INBOUND, SENDER, SUPPRESSION } from "./samples";

export type CodeSample = { lang: string; label: string; source: string };

/** Everything that the samples of an operation need to call it. */
export type SampledCall = {
  method: string;
  /** Path below the API's URL; `{id}` stands for the id of an item. */
  path: string;
  /** Path of the procedure, such as `messages.send`. */
  procedure: string;
  operationId: string;
  isKeyed: boolean;
  /** Body of the request; null when there is none. */
  body: Record<string, unknown> | null;
  /** Whether the result has pages. */
  isPaged: boolean;
};

/** An item of each resource. */
const IDS: Record<string, string> = {
  messages: DELIVERED.id,
  inbound: INBOUND.id,
  senders: SENDER.id,
  suppressions: SUPPRESSION.id,
  "api-keys": API_KEY.id,
  webhooks: ENDPOINT.id,
};

/** The id that examples use in a path such as `/messages/{id}`. */
export const exampleIdOf = (path: string): string => IDS[path.split("/")[1] ?? ""] ?? "…";

/** Client methods whose names differ from those of the procedures. */
const CLIENT_NAMES: Record<string, string> = { "messages.bulk": "messages.sendBulk", "webhooks.events": "events.list" };

/** The clients' method of a procedure: resource and name, in camel case. */
function clientMethodOf(procedure: string): [resource: string, name: string] {
  const [resource = "", name = ""] = (CLIENT_NAMES[procedure] ?? procedure).split(".");
  return [resource === "accounts" ? "account" : resource, name];
}

/** Valid for every list, and enough for a first look. */
const PAGE_QUERY = { limit: 20 };

const isItem = ({ path }: SampledCall): boolean => path.includes("{id}");

function urlOf(call: SampledCall, baseUrl: string): string {
  const query = call.isPaged ? `?limit=${PAGE_QUERY.limit}` : "";
  return `${baseUrl}${call.path.replace("{id}", exampleIdOf(call.path))}${query}`;
}

const idempotencyKeyOf = ({ operationId }: SampledCall): string => `${operationId}-4711`;

const curl = (call: SampledCall, baseUrl: string): string =>
  [
    `curl${call.method === "GET" ? "" : ` -X ${call.method}`} "${urlOf(call, baseUrl)}"`,
    '-H "Authorization: Bearer $API_KEY"',
    ...(call.isKeyed ? [`-H "Idempotency-Key: ${idempotencyKeyOf(call)}"`] : []),
    ...(call.body ? ['-H "Content-Type: application/json"', `-d ${inShell(JSON.stringify(call.body))}`] : []),
  ].join(" \\\n  ");

/** Lines inside brackets, one per field: a body on one line is hard to read. */
const inLines = (open: string, lines: string[], close: string, indent = ""): string =>
  lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((line) => `${indent}  ${line},\n`).join("")}${indent}${close}`;

function node(call: SampledCall, baseUrl: string): string {
  const [resource, name] = clientMethodOf(call.procedure);
  const fields = Object.entries(call.body ?? {}).map(([field, value]) => `${field}: ${inJs(value)}`);
  const given = [
    ...(isItem(call) ? [inJs(exampleIdOf(call.path))] : []),
    ...(call.body ? [inLines("{", fields, "}")] : call.isPaged ? [inJs(PAGE_QUERY)] : []),
  ];
  return `import { MessagingClient } from "messaging-service-client";

const client = new MessagingClient({ baseUrl: "${baseUrl}", apiKey: process.env.API_KEY });
const ${call.isPaged ? "page" : "result"} = await client.${resource}.${name}(${given.join(", ")});
console.log(${call.isPaged ? "page.data" : "result"});
`;
}

function python(call: SampledCall, baseUrl: string): string {
  const [resource, name] = clientMethodOf(call.procedure);
  const fields = Object.entries({ ...call.body, ...(call.isPaged ? PAGE_QUERY : {}) });
  const named = fields.map(([field, value]) => `${pythonName(field)}=${inPython(value)}`);
  const given = isItem(call) ? [inPython(exampleIdOf(call.path)), ...named] : named;
  const method = `client.${snakeCase(resource)}.${pythonName(snakeCase(name))}`;
  const called = given.length > 1 ? inLines(`${method}(`, given, ")") : `${method}(${given.join("")})`;
  return `import os
from messaging_service import MessagingClient

client = MessagingClient("${baseUrl}", os.environ["API_KEY"])
${call.isPaged ? "page" : "result"} = ${called.replaceAll("\n  ", "\n    ")}
print(${call.isPaged ? "page.data" : "result"})
`;
}

function php(call: SampledCall, baseUrl: string): string {
  const headers = [
    "'Authorization: Bearer ' . getenv('API_KEY')",
    ...(call.isKeyed ? [`'Idempotency-Key: ${idempotencyKeyOf(call)}'`] : []),
    ...(call.body ? ["'Content-Type: application/json'"] : []),
  ];
  const fields = Object.entries(call.body ?? {}).map(([field, value]) => `'${field}' => ${inPhp(value)}`);
  const options = [
    ...(call.method === "GET" ? [] : [`CURLOPT_CUSTOMREQUEST => '${call.method}'`]),
    `CURLOPT_HTTPHEADER => ${inLines("[", headers, "]", "  ")}`,
    ...(call.body ? [`CURLOPT_POSTFIELDS => json_encode(${inLines("[", fields, "]", "  ")})`] : []),
    "CURLOPT_RETURNTRANSFER => true",
  ];
  return `<?php
$curl = curl_init('${urlOf(call, baseUrl)}');
curl_setopt_array($curl, ${inLines("[", options, "]")});
$response = json_decode(curl_exec($curl), true);
print_r($response['data'] ?? $response['error']);
`;
}

function go(call: SampledCall, baseUrl: string): string {
  const body = call.body ? `strings.NewReader(${inGo(JSON.stringify(call.body))})` : "nil";
  const headers = [
    '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))',
    ...(call.isKeyed ? [`\trequest.Header.Set("Idempotency-Key", "${idempotencyKeyOf(call)}")`] : []),
    ...(call.body ? ['\trequest.Header.Set("Content-Type", "application/json")'] : []),
  ];
  const packages = ["fmt", "io", "net/http", "os", ...(call.body ? ["strings"] : [])];
  return `package main

import (
${packages.map((name) => `\t"${name}"`).join("\n")}
)

func main() {
	request, err := http.NewRequest("${call.method}", "${urlOf(call, baseUrl)}", ${body})
	if err != nil {
		panic(err)
	}
${headers.join("\n")}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status, string(text))
}
`;
}

/** The samples of an operation. Each reads the key from the variable API_KEY. @param baseUrl of the API, with its version. */
export const codeSamplesOf = (call: SampledCall, baseUrl: string): CodeSample[] => [
  { lang: "shell", label: "curl", source: curl(call, baseUrl) },
  { lang: "js", label: "Node", source: node(call, baseUrl) },
  { lang: "python", label: "Python", source: python(call, baseUrl) },
  { lang: "php", label: "PHP", source: php(call, baseUrl) },
  { lang: "go", label: "Go", source: go(call, baseUrl) },
];
