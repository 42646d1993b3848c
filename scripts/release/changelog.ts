/** Edits of a release to the files that contain the version. Pure; release.ts reads and writes the files. */

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const UNRELEASED = "## [Unreleased]";
const HEADING = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/gm;
/** The client's package file, as the guides name it. */
const CLIENT_PACKAGE = /(messaging-service-client-)\d+\.\d+\.\d+(\.tgz)/g;
/** The service's image, of any registry, and the name of the job, in which a version has no dots. */
const IMAGE = /(\bmessaging-service:)\d+\.\d+\.\d+/g;
const MIGRATION_JOB = /(\bmessaging-migrate-)\d+-\d+-\d+/g;

const numbersOf = (version: string): number[] => {
  const [, ...numbers] = VERSION.exec(version) ?? [];
  if (numbers.length === 0)
    throw new Error(`${version} is not a version of the form MAJOR.MINOR.PATCH, such as 1.2.0.`);
  return numbers.map(Number);
};

/** @returns below 0 when `one` is older than `other`, 0 when they are equal. @throws Error unless both are MAJOR.MINOR.PATCH. */
export function compareVersions(one: string, other: string): number {
  const others = numbersOf(other);
  return numbersOf(one).reduce((sign, number, at) => sign || Math.sign(number - (others[at] ?? 0)), 0);
}

/** The released versions of a changelog, in its order. */
export const releasedVersions = (changelog: string): string[] =>
  [...changelog.matchAll(HEADING)].map(([, version = ""]) => version);

/**
 * Moves the changes under Unreleased to a new section for `version`.
 * @param date the day of the release, YYYY-MM-DD.
 * @throws Error when Unreleased is empty, or `version` is not newer than every released one.
 */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  const former = releasedVersions(changelog).find((released) => compareVersions(version, released) <= 0);
  numbersOf(version);
  if (former) throw new Error(`${version} is not newer than ${former}, which is in CHANGELOG.md already.`);
  const [before, after, more] = changelog.split(`${UNRELEASED}\n`);
  if (before === undefined || after === undefined || more !== undefined) {
    throw new Error(`CHANGELOG.md must have one section "${UNRELEASED}".`);
  }
  const [changes = ""] = after.split(/^## /m);
  if (!/^- /m.test(changes)) throw new Error("There is nothing under Unreleased in CHANGELOG.md.");
  return `${before}${UNRELEASED}\n\n## [${version}] - ${date}\n${after}`;
}

/** Sets the version of a package.json. @throws Error when `version` is older than the current one. */
export function releasePackage(text: string, version: string): string {
  const own = JSON.parse(text) as { version: string };
  if (compareVersions(version, own.version) < 0) throw new Error(`${version} is older than ${own.version}.`);
  return asJson({ ...own, version });
}

/** Sets the version of our own packages in a package-lock.json. @param paths their keys in it; "" is the root. */
export function releaseLock(text: string, version: string, paths: readonly string[]): string {
  const own = JSON.parse(text) as { packages: Record<string, object> };
  const packages = { ...own.packages };
  for (const path of paths) {
    if (!packages[path]) throw new Error(`package-lock.json has no package at "${path}".`);
    packages[path] = { ...packages[path], version };
  }
  return asJson({ ...own, version, packages });
}

/** Sets the version in the file name of the client's package. */
const releaseGuide = (text: string, version: string): string => text.replace(CLIENT_PACKAGE, `$1${version}$2`);

/** Sets the version of the image and of the migration job in the Kubernetes manifest. */
const releaseManifest = (text: string, version: string): string =>
  text.replace(IMAGE, `$1${version}`).replace(MIGRATION_JOB, `$1${version.replaceAll(".", "-")}`);

/** Sets the version that a client sends in its `User-Agent`. */
const releaseClient = (text: string, version: string): string =>
  text.replace(/^(__version__|export const VERSION) = ".*"/m, `$1 = "${version}"`);

/** Every file with the version, except the changelog. The client is generated from the API document, so both share one version. */
export const VERSIONED: Record<string, (text: string, version: string) => string> = {
  "package.json": releasePackage,
  "package-lock.json": (text, version) => releaseLock(text, version, ["", "sdk"]),
  "sdk/package.json": releasePackage,
  "sdk/README.md": releaseGuide,
  "sdk/src/version.ts": releaseClient,
  "sdk/python/messaging_service.py": releaseClient,
  "docs/quick-start.md": releaseGuide,
  "deploy/kubernetes/messaging-service.yaml": releaseManifest,
};

/** npm's own format. */
const asJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
