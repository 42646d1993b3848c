/** Spans of the calls that the console's pages make. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { inSpan } from "../../core/spans";
import { appRouter } from "../router";
import { handleCall, LIVE, TRPC } from "./calls";
import type { PagesHandler } from "./pages-handler";

const NAMES_MAX = 5;

/** The procedures that a path names. Unknown names are left out: anybody can put anything there. */
function procedureNames(path: string): string {
  if (!path.startsWith(TRPC)) return "auth";
  const { procedures } = appRouter._def;
  const known = path
    .slice(TRPC.length)
    .split(/,|%2c/i)
    .filter((name) => Object.hasOwn(procedures, name));
  return `trpc ${[...new Set(known)].slice(0, NAMES_MAX).join(",") || "unknown"}`;
}

/** Answers a call within a span, except the stream of changes, which stays open. */
export function traceCall(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  toPages: PagesHandler,
): Promise<void> {
  const answer = () => handleCall(request, response, path, toPages);
  if (path === LIVE) return answer();
  return inSpan(
    () => ({
      ...{ name: procedureNames(path), kind: "server" },
      traceparent: request.headers.traceparent?.toString(),
    }),
    async (span) => {
      await answer();
      span?.set({ "http.request.method": request.method, "http.response.status_code": response.statusCode });
      if (response.statusCode >= 500) span?.fail(String(response.statusCode));
    },
  );
}
