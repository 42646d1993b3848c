import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("only one file knows OpenTelemetry's packages", () => {
  const knowing = ["server", "worker", "app", "prisma"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts") && !name.startsWith("generated"))
      .map((name) => path.join(folder, name))
      .filter((file) => /["']@opentelemetry\//.test(readFileSync(file, "utf8"))),
  );
  expect(knowing).toEqual([path.join("server", "observability", "tracing.ts")]);
});

test.each(["server/main.ts", "worker/index.ts"])(
  "%s, as it is built, loads them only when tracing is on",
  async (entry) => {
    const { metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      metafile: true,
      outdir: "none",
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "silent",
    });
    const imports = Object.values(metafile.outputs)
      .flatMap((output) => output.imports)
      .filter(({ path: name }) => name.startsWith("@opentelemetry/"));
    expect(imports.length).toBeGreaterThan(3);
    expect(new Set(imports.map(({ kind }) => kind))).toEqual(new Set(["dynamic-import"]));
  },
);
