/**
 * Compares our adapters with the vendors' own libraries: requests, and the verification of callbacks. The libraries are installed into
 * a separate folder, never among our dependencies, and can reach only loopback.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { textTable } from "../text-table";
import { type Comparison, compare, type SentRequest } from "./compare";
import { startRecorder } from "./redirect";
import { type Load, REQUEST_CHECKS, REQUESTS } from "./requests";
import { SIGNATURE_CHECKS, tampered } from "./signatures";

/** The versions that were checked last; to check a newer one, change it here. */
const LIBRARIES: Readonly<Record<string, string>> = {
  "@sinch/sdk-core": "1.4.0",
  "@sinch/sms": "1.4.0",
  "@vonage/auth": "1.18.1",
  "@vonage/jwt": "1.17.1",
  "@vonage/messages": "1.27.1",
  "@vonage/sms": "1.24.1",
  africastalking: "0.8.3",
  "bandwidth-sdk": "8.1.4",
  messagebird: "4.0.1",
  plivo: "4.79.0",
  telnyx: "7.24.0",
  twilio: "6.2.0",
};

function install(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (existsSync(path.join(folder, "node_modules", "twilio"))) return;
  writeFileSync(path.join(folder, "package.json"), '{"private":true}');
  const wanted = Object.entries(LIBRARIES).map(([name, version]) => `${name}@${version}`);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  const { status } = spawnSync("npm", ["install", ...flags, ...wanted], { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error("The libraries could not be installed.");
}

type Row = { carrier: string; library: string; requests: Comparison; signatures: Comparison };

const NOTHING: Comparison = { checks: 0, differences: [] };

const plus = (one: Comparison, other: Comparison): Comparison => ({
  checks: one.checks + other.checks,
  differences: [...one.differences, ...other.differences],
});

const byAuthorization = ({ headers }: SentRequest): string | undefined => headers.authorization;

async function compareRequests(load: Load, add: (carrier: string, library: string, found: Comparison) => void) {
  const recorder = await startRecorder();
  try {
    for (const { carrier, library, send, build, credentials = byAuthorization, unlike } of REQUEST_CHECKS) {
      for (const [name, request] of Object.entries(REQUESTS)) {
        const { method, url, headers, body } = build(request);
        try {
          const theirs = await recorder.next(() => send(load, request));
          const found = compare(theirs, { method, url, headers, body: body ?? "" }, { credentials, unlike });
          add(carrier, library, { ...found, differences: found.differences.map((text) => `${name}: ${text}`) });
        } catch (thrown) {
          add(carrier, library, { checks: 1, differences: [`${name}: ${thrown}`] });
        }
      }
    }
  } finally {
    recorder.close();
  }
}

async function compareSignatures(load: Load, add: (carrier: string, library: string, found: Comparison) => void) {
  for (const { carrier, library, sign, validate, authenticate } of SIGNATURE_CHECKS) {
    const genuine = sign();
    for (const [name, callback, expected] of [
      ["a signed callback", genuine, true],
      ["a changed callback", tampered(genuine), false],
    ] as const) {
      const theirs = await Promise.resolve()
        .then(() => validate(load, callback))
        .then((believed) => believed !== false)
        .catch(() => false);
      const ours = authenticate(callback).kind === "genuine";
      const wrong = [
        ...(theirs === expected ? [] : [`${name}: the library ${theirs ? "believes" : "refuses"} it`]),
        ...(ours === expected ? [] : [`${name}: the adapter ${ours ? "believes" : "refuses"} it`]),
      ];
      add(carrier, library, { checks: 2, differences: wrong });
    }
  }
}

/**
 * Installs the libraries, compares, and prints the table and the differences.
 * @param kept a folder in which they stay installed for the next run; undefined: a temporary one.
 * @returns whether there are no differences.
 */
export async function checkLibraries(kept?: string): Promise<boolean> {
  const folder = path.resolve(kept ?? mkdtempSync(path.join(tmpdir(), "carrier-libraries-")));
  try {
    install(folder);
    const load = createRequire(pathToFileURL(path.join(folder, "package.json")));
    const rows = new Map<string, Row>();
    const addTo = (part: "requests" | "signatures") => (carrier: string, library: string, found: Comparison) => {
      const row = rows.get(carrier) ?? { carrier, library, requests: NOTHING, signatures: NOTHING };
      rows.set(carrier, { ...row, [part]: plus(row[part], found) });
    };
    await compareRequests(load, addTo("requests"));
    await compareSignatures(load, addTo("signatures"));
    const versionOf = (name: string): string =>
      JSON.parse(readFileSync(path.join(folder, "node_modules", name, "package.json"), "utf8")).version;
    const shown = ({ checks, differences }: Comparison) =>
      checks === 0 ? "-" : `${checks} checked, ${differences.length} differ`;
    const lines = [...rows.values()].map(({ carrier, library, requests, signatures }) => [
      carrier,
      `${library} ${versionOf(library)}`,
      shown(requests),
      shown(signatures),
    ]);
    console.log(textTable(["carrier", "library", "requests", "signatures"], lines));
    const differences = [...rows.values()].flatMap(({ carrier, requests, signatures }) =>
      [...requests.differences, ...signatures.differences].map((text) => `${carrier}: ${text}`),
    );
    for (const difference of differences) console.log(difference);
    return differences.length === 0;
  } finally {
    if (!kept) rmSync(folder, { recursive: true, force: true });
  }
}
