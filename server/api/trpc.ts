/** The console's calls as a fetch handler. The web process answers them itself; a host without it has a route file of Next. */
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
    // Reads by POST; a GET still changes nothing.
    allowMethodOverride: true,
    // A stream has headers of its own, which keep proxies from gathering it.
    responseMeta: ({ type }) => (type === "subscription" ? {} : { headers: { "cache-control": "no-store" } }),
  });
