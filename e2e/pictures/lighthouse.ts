/**
 * Runs Lighthouse on the overview and the messages, signed in.
 *
 *   npm run lighthouse [-- --desktop]
 *
 * Lighthouse is installed into a separate folder, because it is larger than all development tools of the product together. With
 * E2E_DATA_DIR, the running `npm start` with that data folder is measured.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { getChromium } from "@/scripts/chromium";
import { openSession } from "../../test/network/operator-session";
import { withShop } from "./shop";

const LIGHTHOUSE = "lighthouse@13.5.0";
const CATEGORIES = ["performance", "accessibility", "best-practices"] as const;
const LEAST: Record<(typeof CATEGORIES)[number], number> = {
  performance: 90,
  accessibility: 100,
  "best-practices": 100,
};
const ADDRESSES = ["/", "/messages"];

type Report = {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { title: string; score: number | null; displayValue?: string; numericValue?: number }>;
};

const run = promisify(execFile);
const { values } = parseArgs({ options: { desktop: { type: "boolean", default: false } } });

/** Audits without a full score, with their value. */
const lossesOf = ({ categories, audits }: Report): string[] =>
  CATEGORIES.flatMap((category) =>
    (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = audits[id];
      if (weight === 0 || !audit || audit.score === null || audit.score >= 0.9) return [];
      return [`  ${category}: ${audit.title}${audit.displayValue ? ` (${audit.displayValue})` : ""}`];
    }),
  );

const folder = await mkdtemp(path.join(tmpdir(), "messaging-lighthouse-"));
let isGood = true;
await withShop(async ({ service, account }) => {
  const headers = path.join(folder, "headers.json");
  await writeFile(headers, JSON.stringify({ Cookie: (await openSession(service.url, account)).join("; ") }));
  // npx must not see this project: the settings of `npm run` would lead it here.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  const env = { ...(Object.fromEntries(own) as NodeJS.ProcessEnv), CHROME_PATH: await getChromium() };
  for (const address of ADDRESSES) {
    const output = path.join(folder, "report.json");
    await run(
      "npx",
      [
        ...["--yes", LIGHTHOUSE, `${service.url}${address}`, "--quiet", "--output=json", `--output-path=${output}`],
        ...[`--only-categories=${CATEGORIES.join(",")}`, `--extra-headers=${headers}`],
        ...[
          "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
          ...(values.desktop ? ["--preset=desktop"] : []),
        ],
      ],
      { env, cwd: folder },
    );
    const report = JSON.parse(await readFile(output, "utf8")) as Report;
    const scores = CATEGORIES.map((category) => {
      const score = Math.round((report.categories[category]?.score ?? 0) * 100);
      isGood &&= score >= LEAST[category];
      return `${category} ${score}`;
    });
    process.stdout.write(`${address}  ${scores.join(", ")}\n${lossesOf(report).join("\n")}\n`);
  }
});
await rm(folder, { recursive: true, force: true });
process.exitCode = isGood ? 0 : 1;
