/**
 * Makes a release in this clone: moves the Unreleased changes of CHANGELOG.md under the version, sets the version of the service and
 * its client, commits and tags. It never pushes.
 *
 *   npm run release -- <version>
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { releaseChangelog, VERSIONED } from "./changelog";

type Change = (text: string, version: string) => string;

/** Every file with the version. */
const CHANGES: Record<string, Change> = {
  "CHANGELOG.md": (text, version) => releaseChangelog(text, version, new Date().toISOString().slice(0, 10)),
  ...VERSIONED,
};

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

function requireReady(tag: string): void {
  if (git("status", "--porcelain") !== "") throw new Error("The work tree is not clean. Commit or stash first.");
  if (git("branch", "--show-current") === "") throw new Error("No branch is checked out.");
  if (git("tag", "--list", tag) !== "") throw new Error(`The tag ${tag} exists already.`);
}

function release(version: string): void {
  const tag = `v${version}`;
  requireReady(tag);
  // Computed before the first write, so that an error leaves every file unchanged.
  const texts = Object.entries(CHANGES).map(
    ([file, change]) => [file, change(readFileSync(file, "utf8"), version)] as const,
  );
  try {
    for (const [file, text] of texts) writeFileSync(file, text);
    git("add", "--", ...Object.keys(CHANGES));
    git("commit", "--quiet", "--message", `chore(release): ${version}`);
  } catch (thrown) {
    git("restore", "--staged", "--worktree", "--", ...Object.keys(CHANGES));
    throw thrown;
  }
  git("tag", "--annotate", tag, "--message", `Version ${version}`);
  console.log(`${tag} is committed and tagged. To publish it: git push --follow-tags`);
}

const [version, ...rest] = process.argv.slice(2);
try {
  if (!version || rest.length > 0) throw new Error("Usage: npm run release -- <version>, such as 1.2.0");
  release(version);
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}
