/**
 * The build: the database client (`prisma/generated`), the pages (`.next`) and the processes (`dist`).
 *
 *   tsx scripts/build.ts              everything, if the sources have changed since the last build
 *   tsx scripts/build.ts --generate   the database client only
 *   tsx scripts/build.ts --types      the database client, and the types of the pages' routes, for a type check
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { type BuildOptions, build as bundle } from "esbuild";
import { onceFree } from "./once-free";
import { runQuietly, step } from "./progress.mjs";

const STAMP = path.join("dist", "build.json");
/** Written once the database client is complete. */
const CLIENT_STAMP = path.join("prisma", "generated", ".complete");
const SCHEMA = path.join("prisma", "schema");
/** Source folders and files of a build. */
const SOURCES = [
  "app",
  "docs",
  "server",
  "worker",
  "public",
  SCHEMA,
  ...["migrate", "online-indexes", "patiently", "queue-indexes", "session", "turn", "unfinished"].map((name) =>
    path.join("prisma", `${name}.ts`),
  ),
  ...["admin", "build.ts", "is-alive.ts", "local", "progress.mjs", "whole-file.ts"].map((name) =>
    path.join("scripts", name),
  ),
  "instrumentation-client.ts",
  "next.config.mjs",
  "package-lock.json",
  "package.json",
  "tsconfig.json",
];
/** Sources of the processes, by the names of their bundles. */
const ENTRIES = {
  "web-process": "server/main.ts",
  "pages-process": "server/pages.ts",
  "worker-process": "worker/index.ts",
  admin: "scripts/admin/admin.ts",
  migrate: "prisma/migrate.ts",
};

/** Every file at or below the given paths. Node 20 has no globs. */
function filesOf(paths: string[]): string[] {
  return paths
    .filter((entry) => existsSync(entry))
    .flatMap((entry) =>
      statSync(entry).isDirectory()
        ? readdirSync(entry, { recursive: true, encoding: "utf8" }).map((name) => path.join(entry, name))
        : [entry],
    )
    .filter((file) => statSync(file).isFile())
    .sort();
}

function hashOfSources(): string {
  const hash = createHash("sha256").update(process.version);
  for (const file of filesOf(SOURCES)) hash.update(`\0${file}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

const binary = (name: string, file: string): string =>
  path.join(path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file);

/** Generates the database client when it is missing or older than the schema. */
export async function ensureClient(): Promise<void> {
  const newest = Math.max(...filesOf([SCHEMA, "package-lock.json"]).map((file) => statSync(file).mtimeMs));
  if (existsSync(CLIENT_STAMP) && statSync(CLIENT_STAMP).mtimeMs > newest) return;
  // `prisma generate` requires an engine that it never uses; any existing file prevents a download.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" };
  await step("Generating the database client", () =>
    runQuietly(process.execPath, [binary("prisma", "build/index.js"), "generate"], { env }),
  );
  await writeFile(CLIENT_STAMP, "");
}

/** Compresses the scripts and styles of the pages once, as well as possible, because they are sent to every visitor. */
async function compressFiles(): Promise<void> {
  const files = filesOf([path.join(".next", "static")]).filter((file) => /\.(js|css)$/.test(file));
  const compress = promisify(brotliCompress);
  await Promise.all(files.map(async (file) => writeFile(`${file}.br`, await compress(await readFile(file)))));
}

async function buildPages(): Promise<void> {
  const env = { ...process.env, NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1" };
  await onceFree(() => runQuietly(process.execPath, [binary("next", "dist/bin/next"), "build"], { env }));
  await compressFiles();
}

/** @throws Error naming bundled files that are missing from SOURCES: changing them would not cause another build. */
function requireSources(bundled: string[]): void {
  const sources = new Set(filesOf(SOURCES));
  // package-lock.json stands for the packages.
  const missing = bundled.filter(
    (file) => !sources.has(path.normalize(file)) && !/^(prisma\/generated|node_modules)\//.test(file),
  );
  if (missing.length > 0)
    throw new Error(`SOURCES of scripts/build.ts lacks files that are bundled: ${missing.join(", ")}`);
}

/**
 * Packages that no bundle contains: those with native code, an optional package of `pg` that we do not use, Next, which only the pages
 * process needs, and large texts, which a process would keep in memory although it needs them once (Prisma's compiler) or rarely
 * (the dictionaries).
 */
const NEVER_BUNDLED = ["@node-rs/argon2", "pg-native", "next", "@prisma/client", "@zxcvbn-ts/*"];
/** Names that CommonJS packages expect, and that ES modules lack. */
const FOR_COMMONJS = `import { createRequire as commonjsRequire } from "node:module";
const require = commonjsRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

/**
 * Bundles programs for Node with their packages: loading packages one by one took half of a process's start.
 * @param entries source paths by the names of their bundles, without `.mjs`.
 * @param folder for the bundles, within this project, because some packages stay in node_modules.
 * @returns the bundled sources, including generated ones and packages.
 */
export const bundlePrograms = (entries: Record<string, string>, folder: string): Promise<string[]> =>
  bundled(entries, folder, { external: NEVER_BUNDLED, banner: { js: FOR_COMMONJS } });

type Packages = Pick<BuildOptions, "packages" | "external" | "banner">;

async function bundled(entries: Record<string, string>, folder: string, packages: Packages): Promise<string[]> {
  const { metafile } = await bundle({
    entryPoints: entries,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    ...packages,
  });
  return Object.keys(metafile.inputs);
}

async function buildProcesses(): Promise<void> {
  const { "pages-process": pages, "web-process": web, ...programs } = ENTRIES;
  const sources = await Promise.all([
    bundlePrograms(programs, "dist"),
    // Next loads the packages of pages itself: bundled too, each would be loaded twice, and a web process under load would take 70 MB more.
    bundled({ "pages-process": pages, "web-process": web }, "dist", { packages: "external" }),
  ]);
  requireSources(sources.flat());
  // Imports run before the first line of a bundle, so a separate file sets the environment that they read.
  for (const name of ["web", "pages", "worker"]) {
    const launcher = `process.env.NODE_ENV ??= "production";\nawait import("./${name}-process.mjs");\n`;
    await writeFile(path.join("dist", `${name}.mjs`), launcher);
  }
}

/** Whether the last build matches the current sources. */
function isBuilt(hash: string): boolean {
  if (!existsSync(STAMP) || !existsSync(path.join(".next", "BUILD_ID"))) return false;
  return (JSON.parse(readFileSync(STAMP, "utf8")) as { sources: string }).sources === hash;
}

/** Builds if needed. The stamp is written last, so a killed build is repeated. */
export async function ensureBuilt(): Promise<void> {
  await ensureClient();
  const sources = hashOfSources();
  if (isBuilt(sources)) return;
  await rm(STAMP, { force: true });
  await step("Building", async () => {
    await mkdir("dist", { recursive: true });
    await Promise.all([buildPages(), buildProcesses()]);
  });
  await writeFile(STAMP, `${JSON.stringify({ sources })}\n`);
}

/** Generates the types of the pages' routes, unless a build of the same sources has done so. */
async function ensureRouteTypes(): Promise<void> {
  await ensureClient();
  if (isBuilt(hashOfSources())) return;
  await runQuietly(process.execPath, [binary("next", "dist/bin/next"), "typegen"]);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const only = { "--generate": ensureClient, "--types": ensureRouteTypes };
  const [, make = ensureBuilt] = Object.entries(only).find(([flag]) => process.argv.includes(flag)) ?? [];
  await make();
}
