/** Runs the guide's code for verifying webhooks, as it stands there, on what anybody may send to a receiver. */
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { marked } from "marked";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const BODY = '{"id":"evt_1","object":"event","data":{"body":"Grüße 😀"}}';
const NOW = 1_700_000_000;
const digest = (t: number | string, secret = SECRET, body = BODY) =>
  createHmac("sha256", secret).update(`${t}.${body}`).digest("hex");
const GENUINE = `t=${NOW},v1=${digest(NOW)}`;
const LONG = "9".repeat(6_000);

/** null: the request had no such header. */
type Case = [name: string, header: string | null, isGenuine: boolean];

const CASES: Case[] = [
  ["genuine", GENUINE, true],
  ["genuine, by the older of two secrets", `t=${NOW},v1=${digest(NOW, "whsec_other")},v1=${digest(NOW)}`, true],
  ["forged with another secret", `t=${NOW},v1=${digest(NOW, "whsec_other")}`, false],
  ["forged over another body", `t=${NOW},v1=${digest(NOW, SECRET, "{}")}`, false],
  ["a time that was not signed", `t=${NOW + 1},v1=${digest(NOW)}`, false],
  ["a digest cut short", GENUINE.slice(0, -2), false],
  ["a digest with more behind it", `${GENUINE}00`, false],
  ["a digest of another version", `t=${NOW},v2=${digest(NOW)}`, false],
  ["v1 without a value", `t=${NOW},v1`, false],
  ["v1 with an empty value", `t=${NOW},v1=`, false],
  ["v1 that is not hexadecimal", `t=${NOW},v1=${"z".repeat(64)}`, false],
  ["v1 beyond ASCII", `t=${NOW},v1=${"é".repeat(64)}`, false],
  ["commas only", ",,,", false],
  ["nothing", "", false],
  ["missing", null, false],
];
/** Rightly signed, but not at a time that counts. */
const TIMED: Case[] = [
  ["stale", `t=${NOW - 301},v1=${digest(NOW - 301)}`, false],
  ["from the future", `t=${NOW + 301},v1=${digest(NOW + 301)}`, false],
  ["as old as it may be", `t=${NOW - 300},v1=${digest(NOW - 300)}`, true],
  ["no time", `v1=${digest("")}`, false],
  ["a time without a value", `t,v1=${digest("")}`, false],
  ["a time that is no number", `t=NaN,v1=${digest("NaN")}`, false],
  ["a time with more digits than numbers have", `t=${LONG},v1=${digest(LONG)}`, false],
];

/** The one block of the guide in a language that verifies. */
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

/** Answers for all cases at once, by a program that reads the headers as JSON and prints its answers as JSON. */
function judge(command: string, extension: string, program: string, cases: Case[]): boolean[] {
  const file = path.join(folder, `snippet.${extension}`);
  writeFileSync(file, program);
  const asked = { headers: cases.map(([, header]) => header), body: BODY, secret: SECRET, now: NOW };
  return JSON.parse(run(command, [file], JSON.stringify(asked))) as boolean[];
}

const named = (cases: Case[], answers: unknown[]) => cases.map(([name], at) => [name, answers[at]]);
const right = (cases: Case[]) => cases.map(([name, , isGenuine]) => [name, isGenuine]);
const isInstalled = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const NODE_DRIVER = `
import { readFileSync } from "node:fs";
const { headers, body, secret, now } = JSON.parse(readFileSync(0, "utf8"));
const raw = Buffer.from(body);
console.log(JSON.stringify(headers.map((header) => isGenuine(header ?? undefined, raw, secret, now))));
`;
const PYTHON_DRIVER = `
import json, sys
asked = json.loads(sys.stdin.buffer.read())
print(json.dumps([is_genuine(h, asked["body"].encode(), asked["secret"], asked["now"]) for h in asked["headers"]]))
`;
const PHP_DRIVER = `
$asked = json_decode(file_get_contents('php://stdin'), true);
$judge = fn($header) => is_genuine($header, $asked['body'], $asked['secret'], $asked['now']);
echo json_encode(array_map($judge, $asked['headers']));
`;
const GO_DRIVER = `
func main() {
	var asked struct {
		Headers []*string
		Body, Secret string
		Now int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	answers := []bool{}
	for _, header := range asked.Headers {
		text := ""
		if header != nil {
			text = *header
		}
		answers = append(answers, IsGenuine(text, []byte(asked.Body), asked.Secret, time.Unix(asked.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`;

describe("the guide's verification", () => {
  const all = [...CASES, ...TIMED];

  test("in Node", () => {
    const program = snippetOf("js", "isGenuine") + NODE_DRIVER;
    expect(named(all, judge(process.execPath, "mjs", program, all))).toEqual(right(all));
  });

  test("in Node, when the framework read no body", () => {
    const driver = `console.log([undefined, {}].map((raw) => isGenuine("${GENUINE}", raw, "s", ${NOW})).join());`;
    const file = path.join(folder, "no-body.mjs");
    writeFileSync(file, `${snippetOf("js", "isGenuine")}\n${driver}`);
    expect(run(process.execPath, [file], "")).toBe("false,false");
  });

  test.skipIf(!isInstalled("python3", "--version"))("in Python (skipped where there is no python3)", () => {
    const program = snippetOf("python", "is_genuine") + PYTHON_DRIVER;
    expect(named(all, judge("python3", "py", program, all))).toEqual(right(all));
  });

  test.skipIf(!isInstalled("php", "--version"))("in PHP (skipped where there is no php)", () => {
    const program = `<?php\n${snippetOf("php", "is_genuine")}\n${PHP_DRIVER}`;
    expect(named(all, judge("php", "php", program, all))).toEqual(right(all));
  });

  test.skipIf(!isInstalled("go", "version"))("in Go (skipped where there is no go)", () => {
    const snippet = snippetOf("go", "IsGenuine").replace("import (", 'import (\n\t"encoding/json"\n\t"os"');
    writeFileSync(path.join(folder, "main.go"), `package main\n${snippet}\n${GO_DRIVER}`);
    const asked = { Headers: all.map(([, header]) => header), Body: BODY, Secret: SECRET, Now: NOW };
    const answers = JSON.parse(run("go", ["run", "main.go"], JSON.stringify(asked), { GO111MODULE: "off" }));
    expect(named(all, answers)).toEqual(right(all));
  });

  test.skipIf(!isInstalled("openssl", "version"))("in the shell, whatever the age (skipped without openssl)", () => {
    const cases: Case[] = [...CASES, ["stale", TIMED[0]?.[1] ?? null, true]];
    const script = snippetOf("sh", "openssl dgst");
    const answers = cases.map(
      ([, header]) => run("sh", ["-c", script], "", { header: header ?? "", secret: SECRET }) === "genuine",
    );
    expect(named(cases, answers)).toEqual(right(cases));
  });

  test("in the shell, without openssl, nothing is genuine", () => {
    const script = `openssl() { return 127; }\n${snippetOf("sh", "openssl dgst")}`;
    expect(run("sh", ["-c", script], "", { header: `t=${NOW},v1=`, secret: SECRET })).toBe("not genuine");
  });
});
