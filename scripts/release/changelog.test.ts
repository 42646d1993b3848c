import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  compareVersions,
  releaseChangelog,
  releasedVersions,
  releaseLock,
  releasePackage,
  VERSIONED,
} from "./changelog";

const CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Two.\n\n## [0.9.0] - 2026-01-02\n\n- One.\n";

test("versions are compared by number", () => {
  expect(compareVersions("0.10.0", "0.9.9")).toBe(1);
  expect(compareVersions("1.2.3", "1.2.3")).toBe(0);
  expect(compareVersions("1.9.9", "2.0.0")).toBe(-1);
});

test.each(["1.2", "v1.2.3", "1.2.3-beta.1", "01.2.3", "", "1.2.3 "])("%j is no version", (version) => {
  expect(() => compareVersions(version, "1.0.0")).toThrow(/is not a version/);
  expect(() => releaseChangelog(CHANGELOG, version, "2026-03-04")).toThrow(/is not a version/);
});

describe("the changelog", () => {
  test("moves the changes under Unreleased to the version, and leaves Unreleased empty", () => {
    const released = releaseChangelog(CHANGELOG, "0.10.0", "2026-03-04");
    expect(released).toBe(
      "# Changelog\n\n## [Unreleased]\n\n## [0.10.0] - 2026-03-04\n\n### Added\n\n- Two.\n\n## [0.9.0] - 2026-01-02\n\n- One.\n",
    );
    expect(releasedVersions(released)).toEqual(["0.10.0", "0.9.0"]);
  });

  test("is not released without changes", () => {
    const released = releaseChangelog(CHANGELOG, "0.10.0", "2026-03-04");
    expect(() => releaseChangelog(released, "0.11.0", "2026-03-05")).toThrow(/nothing under Unreleased/);
    expect(() => releaseChangelog("# Changelog\n", "0.1.0", "2026-03-05")).toThrow(/must have one section/);
  });

  test.each(["0.9.0", "0.8.7"])("is not released as %s, which came before", (version) => {
    expect(() => releaseChangelog(CHANGELOG, version, "2026-03-04")).toThrow(/is not newer than 0\.9\.0/);
  });
});

describe("the project's own files", () => {
  const read = (file: string): string => readFileSync(file, "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };

  test("have one version, and are written as npm writes them", () => {
    for (const [file, release] of Object.entries(VERSIONED))
      expect(release(read(file), version), file).toBe(read(file));
    for (const guide of ["docs/quick-start.md", "sdk/README.md"]) {
      expect(read(guide)).toContain(`messaging-service-client-${version}.tgz`);
    }
  });

  test("get another version, and no other change", () => {
    const changed = (before: string, after: string): string[] => {
      const lines = before.split("\n");
      return after.split("\n").filter((line, at) => line !== lines[at]);
    };
    const lock = read("package-lock.json");
    expect(changed(lock, releaseLock(lock, "99.0.0", ["", "sdk"])).map((line) => line.trim())).toEqual(
      Array(3).fill('"version": "99.0.0",'),
    );
    expect(changed(read("package.json"), releasePackage(read("package.json"), "99.0.0"))).toEqual([
      '  "version": "99.0.0",',
    ]);
    for (const [file, line] of [
      ["sdk/python/messaging_service.py", '__version__ = "99.0.0"'],
      ["sdk/src/version.ts", 'export const VERSION = "99.0.0";'],
    ] as const) {
      expect(changed(read(file), VERSIONED[file]?.(read(file), "99.0.0") ?? "")).toEqual([line]);
    }
    const manifest = "deploy/kubernetes/messaging-service.yaml";
    const lines = changed(read(manifest), VERSIONED[manifest]?.(read(manifest), "99.0.0") ?? "");
    expect(new Set(lines.map((line) => line.trim()))).toEqual(
      new Set([
        "#   kubectl -n messaging wait --for=condition=complete --timeout=1h job/messaging-migrate-99-0-0",
        "#   kubectl -n messaging delete job messaging-migrate-99-0-0",
        "name: messaging-migrate-99-0-0",
        "image: messaging-service:99.0.0",
      ]),
    );
    expect(lines.filter((line) => line.includes("image:"))).toHaveLength(3);
    expect(() => releasePackage(read("package.json"), "0.0.1")).toThrow(/is older than/);
    expect(() => releaseLock(lock, "99.0.0", ["elsewhere"])).toThrow(/no package at/);
  });
});
