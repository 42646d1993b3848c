/**
 * The scripts and styles of the pages, compressed with Brotli by the build: a fifth smaller than with Next's own gzip, and without
 * work at run time.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".js": "application/javascript; charset=UTF-8",
  ".css": "text/css; charset=UTF-8",
};
const COMPRESSED = ".br";

/** A compressed file and its headers. Its name changes with its content, so it can be cached for ever. */
export type BuiltFile = { body: Buffer; headers: Record<string, string> };

/** The compressed files below `/_next/static/` by their paths; `folder` is the output of `next build`. */
export function readBuiltFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  const root = path.join(folder, "static");
  if (!existsSync(root)) return new Map();
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(COMPRESSED));
  return new Map(
    names.map((name) => {
      const plain = name.slice(0, -COMPRESSED.length);
      const headers = {
        "content-type": TYPES[path.extname(plain)] ?? "application/octet-stream",
        "content-encoding": "br",
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
      };
      const asked = `/_next/static/${plain.split(path.sep).map(encodeURIComponent).join("/")}`;
      return [asked, { body: readFileSync(path.join(root, name)), headers }];
    }),
  );
}
