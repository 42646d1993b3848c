/** Runs the guide's verification snippets, unchanged, on genuine and forged requests. */
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { marked } from "marked";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WEBHOOK_SAMPLES } from "@/server/api/document/webhook-samples";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const BODY = '{"id":"evt_1","object":"event","data":{"body":"Grüße 😀"}}';
const NOW = 1_700_000_000;
const digest = (t: number | string, secret = SECRET, body = BODY) =>
  createHmac("sha256", secret).update(`${t}.${body}`).digest("hex");
const GENUINE = `t=${NOW},v1=${digest(NOW)}`;
const LONG = "9".repeat(6_000);

/** `header` is null when the request has no such header. */
type Case = [name: string, header: string | null, isGenuine: boolean];

const CASES: Case[] = [
  ["genuine", GENUINE, true],
  ["genuine, by the older of two secrets", `t=${NOW},v1=${digest(NOW, "whsec_other")},v1=${digest(NOW)}`, true],
  ["forged with another secret", `t=${NOW},v1=${digest(NOW, "whsec_other")}`, false],
  ["forged over another body", `t=${NOW},v1=${digest(NOW, SECRET, "{}")}`, false],
  ["another time than the signed one", `t=${NOW + 1},v1=${digest(NOW)}`, false],
  ["a digest cut short", GENUINE.slice(0, -2), false],
  ["a digest with characters appended", `${GENUINE}00`, false],
  ["a digest of another version", `t=${NOW},v2=${digest(NOW)}`, false],
  ["v1 without a value", `t=${NOW},v1`, false],
  ["v1 with an empty value", `t=${NOW},v1=`, false],
  ["v1 that is not hexadecimal", `t=${NOW},v1=${"z".repeat(64)}`, false],
  ["v1 beyond ASCII", `t=${NOW},v1=${"é".repeat(64)}`, false],
  ["commas only", ",,,", false],
  ["nothing", "", false],
  ["missing", null, false],
];
/** Signed with the right secret; whether each is genuine depends on the time. */
const TIMED: Case[] = [
  ["stale", `t=${NOW - 301},v1=${digest(NOW - 301)}`, false],
  ["from the future", `t=${NOW + 301},v1=${digest(NOW + 301)}`, false],
  ["at the oldest accepted time", `t=${NOW - 300},v1=${digest(NOW - 300)}`, true],
  ["no time", `v1=${digest("")}`, false],
  ["a time without a value", `t,v1=${digest("")}`, false],
  ["a time that is no number", `t=NaN,v1=${digest("NaN")}`, false],
  ["a time with too many digits", `t=${LONG},v1=${digest(LONG)}`, false],
];

/** Signed as anybody can if the receiver has no secret. */
const BY_ANYBODY: Case[] = [["signed with an empty secret", `t=${NOW},v1=${digest(NOW, "")}`, false]];

/** The only block of the guide in `language` that contains `mark`. */
function snippetOf(language: string, mark: string): string {
  const blocks = marked
    .lexer(readFileSync("docs/webhooks.md", "utf8"))
    .flatMap((token) => (token.type === "code" && token.lang === language && token.text.includes(mark) ? token : []));
  if (blocks.length !== 1) throw new Error(`The guide has ${blocks.length} blocks in ${language}.`);
  return blocks[0]?.text ?? "";
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "webhook-snippets-"));
  writeFileSync(path.join(folder, "body.json"), BODY);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(command: string, args: string[], input: string, variables: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    input,
    encoding: "utf8",
    env: { ...process.env, ...variables },
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stderr}`);
  return stdout.trim();
}

/** The results of all cases, from one run of a program that reads the headers and prints the results as JSON. */
function judge(command: string, extension: string, program: string, cases: Case[], secret = SECRET): boolean[] {
  const file = path.join(folder, `snippet.${extension}`);
  writeFileSync(file, program);
  const input = { headers: cases.map(([, header]) => header), body: BODY, secret, now: NOW };
  return JSON.parse(run(command, [file], JSON.stringify(input))) as boolean[];
}

const named = (cases: Case[], results: unknown[]) => cases.map(([name], at) => [name, results[at]]);
const expected = (cases: Case[]) => cases.map(([name, , isGenuine]) => [name, isGenuine]);
const isInstalled = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const NODE_DRIVER = `
import { readFileSync } from "node:fs";
const { headers, body, secret, now } = JSON.parse(readFileSync(0, "utf8"));
const raw = Buffer.from(body);
console.log(JSON.stringify(headers.map((header) => isGenuine(header ?? undefined, raw, secret, now))));
`;
const PYTHON_DRIVER = `
import json, sys
given = json.loads(sys.stdin.buffer.read())
print(json.dumps([is_genuine(h, given["body"].encode(), given["secret"], given["now"]) for h in given["headers"]]))
`;
const PHP_DRIVER = `
$given = json_decode(file_get_contents('php://stdin'), true);
$judge = fn($header) => is_genuine($header, $given['body'], $given['secret'], $given['now']);
echo json_encode(array_map($judge, $given['headers']));
`;
const GO_DRIVER = `
func main() {
	var given struct {
		Headers []*string
		Body, Secret string
		Now int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, header := range given.Headers {
		text := ""
		if header != nil {
			text = *header
		}
		results = append(results, IsGenuine(text, []byte(given.Body), given.Secret, time.Unix(given.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(results)
}
`;
const RUBY_DRIVER = `
require "json"
given = JSON.parse($stdin.read)
puts JSON.generate(given["headers"].map { |header| genuine?(header, given["body"], given["secret"], given["now"]) })
`;
/** Java cannot read JSON by itself: secret, body and time, then the headers, are lines in hexadecimal, and a missing header is \`-\`. */
const JAVA_DRIVER = `
    static String text(String line) {
        return new String(HexFormat.of().parseHex(line), StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        String[] lines = new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n");
        for (String line : List.of(lines).subList(3, lines.length)) {
            String header = line.equals("-") ? null : text(line);
            byte[] rawBody = HexFormat.of().parseHex(lines[1]);
            System.out.println(isGenuine(header, rawBody, text(lines[0]), Long.parseLong(text(lines[2]))));
        }
    }
`;

describe("the guide's verification", () => {
  const all = [...CASES, ...TIMED];

  test("in Node", () => {
    const program = snippetOf("js", "isGenuine") + NODE_DRIVER;
    expect(named(all, judge(process.execPath, "mjs", program, all))).toEqual(expected(all));
    expect(judge(process.execPath, "mjs", program, BY_ANYBODY, "")).toEqual([false]);
  });

  test("in Node, when the framework passes no body", () => {
    const driver = `console.log([undefined, {}].map((raw) => isGenuine("${GENUINE}", raw, "s", ${NOW})).join());`;
    const file = path.join(folder, "no-body.mjs");
    writeFileSync(file, `${snippetOf("js", "isGenuine")}\n${driver}`);
    expect(run(process.execPath, [file], "")).toBe("false,false");
  });

  test.skipIf(!isInstalled("python3", "--version"))("in Python (skipped where there is no python3)", () => {
    const program = snippetOf("python", "is_genuine") + PYTHON_DRIVER;
    expect(named(all, judge("python3", "py", program, all))).toEqual(expected(all));
    expect(judge("python3", "py", program, BY_ANYBODY, "")).toEqual([false]);
  });

  test.skipIf(!isInstalled("php", "--version"))("in PHP (skipped where there is no php)", () => {
    const program = `<?php\n${snippetOf("php", "is_genuine")}\n${PHP_DRIVER}`;
    expect(named(all, judge("php", "php", program, all))).toEqual(expected(all));
    expect(judge("php", "php", program, BY_ANYBODY, "")).toEqual([false]);
  });

  test.skipIf(!isInstalled("go", "version"))("in Go (skipped where there is no go)", () => {
    const snippet = snippetOf("go", "IsGenuine").replace("import (", 'import (\n\t"encoding/json"\n\t"os"');
    writeFileSync(path.join(folder, "main.go"), `package main\n${snippet}\n${GO_DRIVER}`);
    const results = (cases: Case[], secret: string) => {
      const input = { Headers: cases.map(([, header]) => header), Body: BODY, Secret: secret, Now: NOW };
      return JSON.parse(run("go", ["run", "main.go"], JSON.stringify(input), { GO111MODULE: "off" }));
    };
    expect(named(all, results(all, SECRET))).toEqual(expected(all));
    expect(results(BY_ANYBODY, "")).toEqual([false]);
  });

  test.skipIf(!isInstalled("ruby", "--version"))("in Ruby (skipped where there is no ruby)", () => {
    const program = snippetOf("ruby", "genuine?") + RUBY_DRIVER;
    expect(named(all, judge("ruby", "rb", program, all))).toEqual(expected(all));
    expect(judge("ruby", "rb", program, BY_ANYBODY, "")).toEqual([false]);
  });

  test.skipIf(!isInstalled("java", "--version"))("in Java (skipped where there is no java)", () => {
    const [imports = "", method = ""] = snippetOf("java", "isGenuine").split(/^(?=static )/m);
    const file = path.join(folder, "Snippet.java");
    writeFileSync(file, `${imports}public class Snippet {\n${method}\n${JAVA_DRIVER}}\n`);
    const hex = (text: string) => Buffer.from(text).toString("hex");
    const results = (cases: Case[], secret: string) => {
      const headers = cases.map(([, header]) => (header === null ? "-" : hex(header)));
      const lines = run("java", [file], [hex(secret), hex(BODY), hex(String(NOW)), ...headers].join("\n"));
      return lines.split("\n").map((line) => line === "true");
    };
    expect(named(all, results(all, SECRET))).toEqual(expected(all));
    expect(results(BY_ANYBODY, "")).toEqual([false]);
  });

  test.skipIf(!isInstalled("openssl", "version"))("in the shell, at any age (skipped without openssl)", () => {
    const cases: Case[] = [...CASES, ["stale", TIMED[0]?.[1] ?? null, true]];
    const script = snippetOf("sh", "openssl dgst");
    const results = cases.map(
      ([, header]) => run("sh", ["-c", script], "", { header: header ?? "", secret: SECRET }) === "genuine",
    );
    expect(named(cases, results)).toEqual(expected(cases));
    const byAnybody = { header: BY_ANYBODY[0]?.[1] ?? "", secret: "" };
    expect(run("sh", ["-c", script], "", byAnybody)).toBe("not genuine");
  });

  test.each([
    ["php", "if ($secret === '' ||"],
    ["go", 'if secret == "" {'],
  ])("the receiver of the reference in %s refuses an empty secret too", (lang, check) => {
    expect(WEBHOOK_SAMPLES.find((sample) => sample.lang === lang)?.source).toContain(check);
  });

  test("in the shell, without openssl, nothing is genuine", () => {
    const script = `openssl() { return 127; }\n${snippetOf("sh", "openssl dgst")}`;
    expect(run("sh", ["-c", script], "", { header: `t=${NOW},v1=`, secret: SECRET })).toBe("not genuine");
  });
});
