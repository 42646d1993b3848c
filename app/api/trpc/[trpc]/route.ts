import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { BATCH_MAX } from "@/server/api/batch-size";
import { reportCall } from "@/server/api/call-report";
import { sessionContext } from "@/server/api/context";
import { appRouter } from "@/server/api/router";

export const dynamic = "force-dynamic";

const handle = (request: Request): Promise<Response> =>
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

export { handle as GET, handle as POST };
