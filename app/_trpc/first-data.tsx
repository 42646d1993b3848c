import { createServerSideHelpers } from "@trpc/react-query/server";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { sessionContext } from "@/server/api/context";
import { appRouter } from "@/server/api/router";
import { TEST_MODE_HEADER } from "@/server/api/test-mode";
import { PAGE_HEADER } from "@/server/auth/sign-in/sign-in-path";
import { FirstQueries } from "./first-queries";

/** The time that a page waits for its data before it is sent without them. */
const WAIT_MS = 500;

const helpersFor = (context: Awaited<ReturnType<typeof sessionContext>>) =>
  createServerSideHelpers({ router: appRouter, ctx: context });
type Ask = ReturnType<typeof helpersFor>;

/** The first queries of pages, exactly as the pages make them. Pages with other filters make them in the browser. */
const QUERIES: Record<string, (ask: Ask) => Promise<void>[]> = {
  "/": (ask) => [
    ask.accounts.usage.prefetch({ period: "all" }),
    ask.accounts.get.prefetch(),
    ask.accounts.usageSeries.prefetch({ days: 7 }),
    ask.overview.comparison.prefetch({ days: 7 }),
    ask.overview.concerns.prefetch(),
    ask.overview.breakdown.prefetch({ days: 7 }),
    ask.messages.list.prefetch({ limit: 6 }),
  ],
  "/messages": (ask) => [ask.messages.list.prefetch({ page: 1, limit: 25 })],
  "/inbound": (ask) => [ask.inbound.list.prefetch({ page: 1, limit: 25 })],
  "/usage": (ask) => [ask.accounts.usage.prefetch({ period: "month" })],
  "/senders": (ask) => [ask.senders.list.prefetch({ page: 1, limit: 25 })],
  "/suppressions": (ask) => [ask.suppressions.list.prefetch({ page: 1, limit: 25 })],
  "/api-keys": (ask) => [ask.apiKeys.details.prefetch()],
  "/webhooks": (ask) => [ask.webhooks.list.prefetch()],
  "/events": (ask) => [ask.webhooks.events.prefetch({ page: 1, limit: 25 })],
};

/** The responses to the first queries of the page that the request headers `given` name. */
async function askFirst(given: Headers) {
  const ask = helpersFor(await sessionContext(new Request("http://console.invalid", { headers: given })));
  const queries = [ask.accounts.balance.prefetch(), ...(QUERIES[given.get(PAGE_HEADER) ?? ""]?.(ask) ?? [])];
  await Promise.race([Promise.all(queries), wait()]);
  return ask.dehydrate({ shouldDehydrateQuery: (query) => query.state.status === "success" });
}

const wait = () => new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS));

/**
 * Makes a page's first queries while its HTML is rendered, so that it does not begin as a skeleton. This layout is rendered only
 * for a full page load; a page that a link opens makes its queries in the browser. A query that fails or takes too long is made
 * again there, and the browser shows its failure.
 */
export async function FirstData({ isTestMode, children }: { isTestMode: boolean; children: ReactNode }) {
  const given = new Headers(await headers());
  given.set(TEST_MODE_HEADER, String(isTestMode));
  const state = await askFirst(given).catch(() => undefined);
  return (
    <FirstQueries state={state} madeAt={Date.now()} isTestMode={isTestMode}>
      {children}
    </FirstQueries>
  );
}
