/** Runs code samples of the API document unchanged, each as a separate program. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const run = promisify(execFile);
const PYTHON_CLIENT = path.join("sdk", "python", "messaging_service.py");

/** A language by the label of its samples: the file that a sample becomes, and the command that runs it. */
const LANGUAGES = {
  curl: { file: "sample.sh", command: ["sh"], version: ["curl", "--version"] },
  Node: { file: "sample.mjs", command: [process.execPath], version: [process.execPath, "--version"] },
  Python: { file: "sample.py", command: ["python3"], version: ["python3", "--version"] },
  PHP: { file: "sample.php", command: ["php"], version: ["php", "-r", "curl_version();"] },
  Go: { file: "main.go", command: ["go", "run"], version: ["go", "version"] },
} as const;

export type Language = keyof typeof LANGUAGES;

/** The languages that this machine can run; PHP only with the curl extension, which the samples need. */
export const installedLanguages = (): Language[] =>
  (Object.keys(LANGUAGES) as Language[]).filter((language) => {
    const [command, ...args] = LANGUAGES[language].version;
    return spawnSync(command, args).status === 0;
  });

/** Bundles the client into Node samples; a real project installs it from the package. */
async function bundleNode(folder: string, files: string[]): Promise<void> {
  await build({
    entryPoints: files,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    alias: {
      "messaging-service-client": path.resolve("sdk/src/client.ts"),
      "messaging-service-client/webhooks": path.resolve("sdk/src/webhooks.ts"),
    },
    logLevel: "silent",
  });
}

type Prepared = { folder: string; command: string; args: string[]; env: NodeJS.ProcessEnv };

async function prepare(language: Language, source: string, variables: Record<string, string>): Promise<Prepared> {
  const { file, command } = LANGUAGES[language];
  const folder = await mkdtemp(path.join(tmpdir(), "code-sample-"));
  const sample = path.join(folder, file);
  await writeFile(sample, source);
  if (language === "Node") await bundleNode(folder, [sample]);
  if (language === "Python") await cp(PYTHON_CLIENT, path.join(folder, path.basename(PYTHON_CLIENT)));
  const [program, ...args] = command;
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", PYTHONUNBUFFERED: "1", GO111MODULE: "off", ...variables };
  return { folder, command: program, args: [...args, sample], env };
}

/** Runs a sample to its end. @returns its output. @throws Error with its error output when it failed. */
export async function runSample(
  language: Language,
  source: string,
  variables: Record<string, string>,
): Promise<string> {
  const { folder, command, args, env } = await prepare(language, source, variables);
  try {
    return (await run(command, args, { env, cwd: folder })).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Programs that run other samples of their language in turn: each argument is a file and its variables, as JSON. */
const RUNNERS = {
  Node: `for (const one of process.argv.slice(1).map((text) => JSON.parse(text))) {
    Object.assign(process.env, one.variables);
    await import(one.file);
  }`,
  Python: `import json, os, runpy, sys
for one in map(json.loads, sys.argv[1:]):
    os.environ.update(one["variables"])
    runpy.run_path(one["file"], run_name="__main__")`,
} as const;

/** A named sample. `name` appears in its error. */
export type NamedSample = { name: string; source: string; variables: Record<string, string> };

/** The module of Go samples that run in turn: each is a package, whose `main` is called with its variables set. */
async function writeGoModule(folder: string, samples: NamedSample[]): Promise<void> {
  const names = samples.map(({ name }) => name.toLowerCase());
  await writeFile(path.join(folder, "go.mod"), "module samples\n");
  await Promise.all(
    samples.map(async ({ source }, at) => {
      const name = names[at] ?? "";
      await mkdir(path.join(folder, name));
      const inPackage = source.replace(/^package main$/m, `package ${name}`).replace(/^func main\(\)/m, "func Main()");
      await writeFile(path.join(folder, name, "sample.go"), inPackage);
    }),
  );
  const calls = samples.map(({ variables }, at) => {
    const set = Object.entries(variables).map(
      ([key, value]) => `os.Setenv(${JSON.stringify(key)}, ${JSON.stringify(value)})`,
    );
    return [...set, `${names[at]}.Main()`].map((line) => `\t${line}\n`).join("");
  });
  const packages = ["os", ...names.map((name) => `samples/${name}`)];
  const imports = packages.map((name) => `\t"${name}"\n`).join("");
  await writeFile(
    path.join(folder, "main.go"),
    `package main\n\nimport (\n${imports})\n\nfunc main() {\n${calls.join("")}}\n`,
  );
}

/** Runs Go samples in one program: with a program each, nearly all of the time went into linking. */
async function runGoSamples(samples: NamedSample[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "code-samples-"));
  try {
    await writeGoModule(folder, samples);
    const [command, ...args] = LANGUAGES.Go.command;
    // Neither packages nor another version of Go are downloaded.
    const env = { ...process.env, GO111MODULE: "on", GOFLAGS: "", GOPROXY: "off", GOTOOLCHAIN: "local", GOWORK: "off" };
    await run(command, [...args, "."], { env, cwd: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs samples one after another; where a language starts slowly, in one process.
 * @throws as {@link runSample}.
 */
export async function runSamples(language: Language, samples: NamedSample[]): Promise<void> {
  if (language === "Go") return runGoSamples(samples);
  if (language !== "Node" && language !== "Python") {
    for (const { source, variables } of samples) await runSample(language, source, variables);
    return;
  }
  const folder = await mkdtemp(path.join(tmpdir(), "code-samples-"));
  try {
    const files = samples.map(({ name }) => path.join(folder, `${name}${path.extname(LANGUAGES[language].file)}`));
    await Promise.all(samples.map(({ source }, at) => writeFile(files[at] ?? "", source)));
    if (language === "Node") await bundleNode(folder, files);
    const flags = language === "Node" ? ["--input-type=module", "--eval", RUNNERS.Node, "--"] : ["-c", RUNNERS.Python];
    const args = samples.map(({ variables }, at) => JSON.stringify({ file: files[at], variables }));
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: path.resolve(path.dirname(PYTHON_CLIENT)) };
    await run(LANGUAGES[language].command[0], [...flags, ...args], { env, cwd: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts a sample that serves. PHP's own server runs the file once per request. */
export async function startSample(
  language: Language,
  source: string,
  variables: Record<string, string>,
  port: number,
): Promise<{ printed: () => string; stop: () => Promise<void> }> {
  const { folder, command, args, env } = await prepare(language, source, variables);
  const own = language === "PHP" ? ["-S", `127.0.0.1:${port}`, ...args] : args;
  // In its own process group, because `go run` starts the built program as a child.
  const child: ChildProcess = spawn(command, own, { env, cwd: folder, detached: true });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      printed += chunk;
    });
  }
  return {
    printed: () => printed,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("close", resolve));
      if (child.pid !== undefined && child.exitCode === null) {
        process.kill(-child.pid, "SIGKILL");
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
