/**
 * Takes pictures of the console.
 *
 *     npm run screenshots                    the pictures of the README, in docs/pictures
 *     npm run screenshots -- --all <folder>  every page, in three widths and both themes, for review
 *
 * With E2E_DATA_DIR, they show the running `npm start` with that data folder.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "@playwright/test";
import { getChromium } from "@/scripts/chromium";
import { openSession } from "../../test/network/operator-session";
import { ACCOUNT_PAGES, OPERATOR_PAGES } from "../support/pages";
import { type Shop, withShop } from "./shop";

const FOLDER = path.join("docs", "pictures");
const THEMES = ["light", "dark"] as const;
const WIDE = { width: 1_280, height: 800 };
const WIDTHS = [360, 1_024, 1_920];
const HEIGHTS = { 360: 740, 1024: 768, 1920: 1_080 } as Record<number, number>;
/** WebP quality in percent. */
const QUALITY = 82;

type By = "owner" | "operator" | "stranger";
type Picture = { name: string; address: string; by: By };
type View = { width: number; height: number; theme: (typeof THEMES)[number] };

/** Opens a signed-in page. */
async function pageFor(browser: Browser, { service, account }: Shop, by: By, view: View): Promise<Page> {
  const { width, height, theme } = view;
  const context = await browser.newContext({
    baseURL: service.url,
    colorScheme: theme,
    viewport: { width, height },
    locale: "en-US",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  });
  if (by !== "stranger") {
    const cookies = await openSession(service.url, by === "owner" ? account : service);
    await context.addCookies(
      cookies.map((cookie) => {
        const end = cookie.indexOf("=");
        return { name: cookie.slice(0, end), value: cookie.slice(end + 1), url: service.url };
      }),
    );
  }
  return context.newPage();
}

/** A WebP picture of the window, or of the whole page. */
async function take(page: Page, address: string, isWhole: boolean): Promise<Buffer> {
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"], .mantine-Skeleton-root'));
  await page.getByText("Getting the price").waitFor({ state: "detached" });
  await page.evaluate(() => document.fonts.ready);
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
    captureBeyondViewport: isWhole,
    ...(isWhole && {
      clip: await page.evaluate(() => ({
        x: 0,
        y: 0,
        width: window.innerWidth,
        height: document.documentElement.scrollHeight,
        scale: 1,
      })),
    }),
  });
  await devtools.detach();
  return Buffer.from(data, "base64");
}

const readmePictures = ({ messageId, endpointId }: Shop): Picture[] => [
  { name: "overview", address: "/", by: "owner" },
  { name: "messages", address: "/messages", by: "owner" },
  { name: "message", address: `/messages/${messageId}`, by: "owner" },
  { name: "webhook", address: `/webhooks/${endpointId}`, by: "owner" },
  { name: "send", address: `/send?again=${messageId}`, by: "owner" },
  { name: "installation", address: "/operator", by: "operator" },
];

const nameOf = (address: string) => address.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "overview";
const named = (by: By, addresses: readonly string[]): Picture[] =>
  addresses.map((address) => ({ name: nameOf(address), address, by }));

const allPictures = ({ messageId, endpointId }: Shop): Picture[] => [
  ...named("owner", ACCOUNT_PAGES),
  { name: "message", address: `/messages/${messageId}`, by: "owner" },
  { name: "webhook", address: `/webhooks/${endpointId}`, by: "owner" },
  ...named("operator", OPERATOR_PAGES),
  ...named("stranger", ["/sign-in", "/sign-up", "/forgotten-password", "/invitation", "/docs"]),
];

async function takeAll(shop: Shop, pictures: Picture[], views: View[], file: (picture: Picture, view: View) => string) {
  const browser = await chromium.launch({
    executablePath: await getChromium(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const isWhole = views.length > THEMES.length;
  for (const view of views) {
    for (const by of ["owner", "operator", "stranger"] as const) {
      const own = pictures.filter((picture) => picture.by === by);
      if (own.length === 0) continue;
      const page = await pageFor(browser, shop, by, view);
      for (const picture of own) {
        const image = await take(page, picture.address, isWhole);
        await writeFile(file(picture, view), image);
        process.stdout.write(`${file(picture, view)}  ${Math.round(image.length / 1_000)} kB\n`);
      }
      await page.context().close();
    }
  }
  await browser.close();
}

const { values } = parseArgs({ options: { all: { type: "string" } } });
const folder = values.all ?? FOLDER;
await mkdir(folder, { recursive: true });
await withShop((shop) =>
  values.all === undefined
    ? takeAll(
        shop,
        readmePictures(shop),
        THEMES.map((theme) => ({ ...WIDE, theme })),
        ({ name }, { theme }) => path.join(folder, `${name}-${theme}.webp`),
      )
    : takeAll(
        shop,
        allPictures(shop),
        WIDTHS.flatMap((width) => THEMES.map((theme) => ({ width, height: HEIGHTS[width] ?? width, theme }))),
        ({ name }, { width, theme }) => path.join(folder, `${name}-${width}-${theme}.webp`),
      ),
);
