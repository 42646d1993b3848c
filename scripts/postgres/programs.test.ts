import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyOpenly, reachablePrograms } from "./programs";

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

let root = "";
let native = "";
let copy = "";
let shared = "";

const write = (folder: string, name: string, text: string, mode: number) => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
  chmodSync(path.join(folder, name), mode);
};

/** Permissions as npm leaves them under a umask that excludes other users. */
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "messaging-programs-"));
  chmodSync(root, 0o755);
  [native, copy, shared] = ["closed/native", "copy", "shared"].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(shared);
  chmodSync(shared, 0o755);
  write(native, "bin/postgres", "#!/bin/sh\necho 18\n", 0o700);
  write(native, "share/postgresql/postgres.bki", "data", 0o600);
  write(native, "lib/libpq.so.5", "library", 0o600);
  symlinkSync("libpq.so.5", path.join(native, "lib/libpq.so"));
  chmodSync(path.join(root, "closed"), 0o700);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (...names: string[]) => statSync(path.join(...names)).mode & 0o777;
const read = (...names: string[]) => readFileSync(path.join(...names), "utf8");

test("everybody can read and run a copy, whatever the permissions of the original", () => {
  copyOpenly(native, copy);
  expect(read(copy, "share/postgresql/postgres.bki")).toBe("data");
  expect(lstatSync(path.join(copy, "lib/libpq.so")).isSymbolicLink()).toBe(true);
  expect(read(copy, "lib/libpq.so")).toBe("library");
  for (const folder of ["", "bin", "lib", "share/postgresql"]) expect(modeOf(copy, folder)).toBe(0o755);
  expect(modeOf(copy, "bin/postgres")).toBe(0o755);
  expect(modeOf(copy, "lib/libpq.so.5")).toBe(0o644);
});

test("a copy that was interrupted or lost files is completed, and complete files are left alone", () => {
  copyOpenly(native, copy);
  const before = lstatSync(path.join(copy, "bin/postgres")).ino;
  rmSync(path.join(copy, "lib"), { recursive: true });
  writeFileSync(path.join(copy, "share/postgresql/postgres.bki"), "");
  // Above the highest possible process id.
  writeFileSync(path.join(copy, "bin/postgres.4194999.part"), "#!/bin");
  copyOpenly(native, copy);
  expect(read(copy, "lib/libpq.so")).toBe("library");
  expect(read(copy, "share/postgresql/postgres.bki")).toBe("data");
  expect(readdirSync(path.join(copy, "bin"))).toEqual(["postgres"]);
  expect(lstatSync(path.join(copy, "bin/postgres")).ino).toBe(before);
});

test("programs that their user cannot reach run from a copy of their version, others in place", () => {
  const found = { native, version: "18.4.0" };
  const own = { folder: path.join(native, "bin"), owner: null, isCopy: false };
  expect(reachablePrograms(null, found, [shared])).toEqual(own);
  // Only root runs them as another user.
  if (!isRoot) return;
  const at = (version: string) => path.join(shared, "messaging-service", `postgresql-${version}`, "bin");
  const copied = { folder: at("18.4.0"), owner: NOBODY, isCopy: true };
  const closed = path.join(root, "closed");
  expect(reachablePrograms(NOBODY, found, [closed, path.join(root, "missing"), shared])).toEqual(copied);
  expect(readdirSync(closed)).toEqual(["native"]);
  expect(reachablePrograms(NOBODY, { native, version: "19" }, [shared]).folder).toBe(at("19"));
  expect(() => reachablePrograms(NOBODY, found, [closed])).toThrow("DATABASE_URL");
  chmodSync(path.join(shared, "messaging-service"), 0o777);
  expect(() => reachablePrograms(NOBODY, found, [shared])).toThrow("DATABASE_URL");

  chmodSync(closed, 0o755);
  for (const name of ["bin/postgres", "share/postgresql/postgres.bki"]) chmodSync(path.join(native, name), 0o755);
  expect(reachablePrograms(NOBODY, found, [shared])).toEqual({ ...own, owner: NOBODY });
});
