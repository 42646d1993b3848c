/** The client's build: ES modules with the command line, and CommonJS modules in a folder of their own. */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const folder = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname);
const at = (...names) => join(folder, ...names);

/** The compiler of this workspace. `npm start` leaves it out; then another version, of the project's root, is found. */
function findCompiler() {
  try {
    return createRequire(import.meta.url).resolve("typescript/bin/tsc");
  } catch {
    process.stderr.write(
      "The client's compiler is not installed: run `npm install --ignore-scripts` in the project's root first.\n",
    );
    process.exit(1);
  }
}
const compiler = findCompiler();
const compile = (...options) =>
  execFileSync(process.execPath, [compiler, ...options], { cwd: folder, stdio: "inherit" });

rmSync(at("dist"), { recursive: true, force: true });
compile("--project", "tsconfig.json");
compile("--project", "tsconfig.cli.json");
compile("--project", "tsconfig.json", "--module", "commonjs", "--moduleResolution", "node10", "--outDir", "dist/cjs");
writeFileSync(at("dist", "cjs", "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
// The compiler reads declaration files but does not emit them.
for (const target of [at("dist"), at("dist", "cjs")])
  copyFileSync(at("src", "schema.d.ts"), join(target, "schema.d.ts"));
chmodSync(at("dist", "cli", "main.js"), 0o755);
