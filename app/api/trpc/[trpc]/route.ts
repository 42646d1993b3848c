import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { sessionContext } from "@/server/api/context";
import { appRouter } from "@/server/api/router";

export const dynamic = "force-dynamic";

const handle = (request: Request): Promise<Response> =>
  fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () => sessionContext(request),
  });

export { handle as GET, handle as POST };
