/** The package that callers get: it is made, unpacked elsewhere, compiled against and run by plain Node. */
import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const NAME = "messaging-service-client";
const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, "package.json"), "utf8"));
const PACKAGE = `${NAME}-${version}.tgz`;
const run = promisify(execFile);
const installed = (name: string): string => path.resolve("node_modules", name);

const folder = mkdtempSync(path.join(tmpdir(), "sdk-package-"));
const packages = path.join(folder, "node_modules");

/** The TypeScript of a guide, as one program. */
function snippetsOf(file: string): string {
  const code = [...readFileSync(file, "utf8").matchAll(/```ts\n(.*?)```/gs)].map(([, snippet]) => snippet);
  if (code.length === 0) throw new Error(`${file} has no TypeScript.`);
  return code.join("\n");
}

/** Files of a caller's own project. */
const PROGRAMS = {
  "start.mts": snippetsOf("docs/quick-start.md"),
  "readme.mts": snippetsOf("sdk/README.md"),
  "entries.mts": [
    `import { ApiError, MessagingClient, verifyWebhook, WebhookError } from "${NAME}";`,
    `import { verifyWebhook as alone } from "${NAME}/webhooks";`,
    "const event = await alone({ header: null, rawBody: '', secret: '' }).catch((thrown: unknown) => thrown);",
    "console.log(event instanceof WebhookError, verifyWebhook === alone, typeof MessagingClient, ApiError.name);",
  ].join("\n"),
  "entries.cts": [
    `import { ApiError, MessagingClient, verifyWebhook, WebhookError } from "${NAME}";`,
    `import webhooks = require("${NAME}/webhooks");`,
    "const { verifyWebhook: alone } = webhooks;",
    "alone({ header: null, rawBody: '', secret: '' }).catch((event: unknown) => {",
    "  console.log(event instanceof WebhookError, verifyWebhook === alone, typeof MessagingClient, ApiError.name);",
    "});",
  ].join("\n"),
};

/** Compiles as a strict project of its own would. @throws what the compiler says */
async function compile(...files: string[]): Promise<void> {
  const options = ["--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const compiler = path.join(installed("typescript"), "bin", "tsc");
  await run(process.execPath, [compiler, ...options, ...files], { cwd: folder }).catch((thrown) => {
    throw new Error(thrown.stdout);
  });
}

beforeAll(async () => {
  await run("npm", ["pack", "--workspace", NAME, "--pack-destination", folder]);
  await run("tar", ["-xzf", PACKAGE], { cwd: folder });
  mkdirSync(path.join(packages, "@types"), { recursive: true });
  renameSync(path.join(folder, "package"), path.join(packages, NAME));
  symlinkSync(installed("@types/node"), path.join(packages, "@types", "node"));
  for (const [file, program] of Object.entries(PROGRAMS)) writeFileSync(path.join(folder, file), program);
  await compile(...Object.keys(PROGRAMS));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the quick start's program compiles under `strict`, and sends", async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url, request.headers.authorization);
    const body = { success: true, data: { id: "msg_1", status: "pending" }, meta: {} };
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const env = {
    ...process.env,
    BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    API_KEY: "ds_live_test",
  };
  const { stdout } = await run(process.execPath, ["start.mjs"], { cwd: folder, env: { ...env, NODE_ENV: "test" } });
  server.close();
  expect(stdout).toBe("msg_1 pending\n");
  expect(asked).toEqual(["/api/v1/messages/send", "Bearer ds_live_test"]);
});

test.each(["entries.mjs", "entries.cjs"])("each entry exports what the README says: %s", async (file) => {
  const { stdout } = await run(process.execPath, [file], { cwd: folder });
  expect(stdout).toBe("true true function ApiError\n");
});

test("without its compiler, which `npm start` leaves out, the build says how to get it", async () => {
  const other = path.join(folder, "other");
  mkdirSync(other);
  copyFileSync("sdk/build.mjs", path.join(other, "build.mjs"));
  await expect(run(process.execPath, ["build.mjs"], { cwd: other })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The client's compiler is not installed: run `npm install --ignore-scripts`/),
  });
});

test("it needs no other package, but for the command `mcp`, which names what it needs", async () => {
  const { dependencies, peerDependencies, peerDependenciesMeta, bin } = JSON.parse(
    readFileSync("sdk/package.json", "utf8"),
  );
  expect(dependencies).toBeUndefined();
  expect(Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)).toEqual([]);
  const main = path.join(packages, NAME, bin["messaging-service"]);
  const env = { ...process.env, BASE_URL: "http://127.0.0.1:1", API_KEY: "ds_test_x" };
  await expect(run(main, ["mcp"], { env })).rejects.toMatchObject({
    code: 1,
    stderr: `This command needs two more packages: npm install ${Object.keys(peerDependencies).join(" ")}\n`,
  });
});

test("the command line runs by plain Node", async () => {
  const { bin } = JSON.parse(readFileSync("sdk/package.json", "utf8"));
  const main = path.join(packages, NAME, bin["messaging-service"]);
  const { stdout } = await run(main, ["help"]);
  expect(stdout).toContain("Usage: messaging-service <command>");
  await expect(run(main, ["balance"], { env: { ...process.env, BASE_URL: "" } })).rejects.toMatchObject({
    code: 2,
    stderr: "Set BASE_URL, or give --base-url.\n",
  });
  // A reader that has enough closes the pipe.
  const unread = run(main, ["help"]);
  unread.child.stdout?.destroy();
  expect(await unread).toMatchObject({ stderr: "" });
});

test.runIf(existsSync("/dev/full"))("output that cannot be written is exit code 1, said in a line", async () => {
  const { bin } = JSON.parse(readFileSync("sdk/package.json", "utf8"));
  const main = path.join(packages, NAME, bin["messaging-service"]);
  await expect(run("sh", ["-c", '"$0" help > /dev/full', main])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The output cannot be written: ENOSPC.*\n$/),
  });
});

test("nothing but what is made, the README and the license is in it", async () => {
  const { stdout } = await run("tar", ["-tzf", PACKAGE], { cwd: folder });
  const files = stdout.trim().split("\n");
  const other = files.filter(
    (file) =>
      !/^package\/(dist\/(cjs\/|cli\/|mcp\/)?[a-z-]+\.(js|d\.ts)|(dist\/cjs\/)?package\.json|README\.md|LICENSE)$/.test(
        file,
      ),
  );
  expect(other).toEqual([]);
  expect(files).toContain("package/LICENSE");
  expect(files).toContain("package/dist/schema.d.ts");
  expect(files).toContain("package/dist/cjs/schema.d.ts");
  expect(files.some((file) => file.includes("test"))).toBe(false);
});
