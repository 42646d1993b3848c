/** The console's calls as a fetch handler, for the web process; a host without it uses a route file of Next. */
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { BATCH_MAX } from "./batch-size";
import { reportCall } from "./call-report";
import { sessionContext } from "./context";
import { appRouter } from "./router";

export const handleTrpc = (request: Request): Promise<Response> =>
  fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: ({ info }) => sessionContext(request, info.connectionParams),
    onError: ({ error, path, ctx }) => reportCall(error, path, ctx),
    maxBatchSize: BATCH_MAX,
    // Allows reads by POST; a GET still changes nothing.
    allowMethodOverride: true,
    // A stream has its own headers, which keep proxies from buffering it.
    responseMeta: ({ type }) => (type === "subscription" ? {} : { headers: { "cache-control": "no-store" } }),
  });
