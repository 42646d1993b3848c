import type { ListRequestsQuery, LoggedRequests } from "@/server/request-log/schema";
import { defineTexts } from "./define-texts";

const en = {
  title: "Request log",
  description:
    "Requests of your programs in the last seven days, and the responses to those that failed. Secrets are never kept.",
  filters: {
    anyStatus: "Any status",
    statuses: {
      "2xx": "Succeeded (2xx)",
      "4xx": "Refused (4xx)",
      "5xx": "Failed (5xx)",
    } satisfies Record<NonNullable<ListRequestsQuery["status_class"]>, string>,
    path: "Path",
    address: "Address",
    addressOrPart: "Its beginning",
    requestId: "Request ID",
  },
  notKept: {
    off: {
      title: "Requests are not logged",
      text: "This installation keeps no requests. Its operator can change that with REQUEST_LOG.",
    },
    errors: {
      title: "Only errors are logged",
      text: "This installation keeps requests with a status of 400 and up. Its operator can change that with REQUEST_LOG.",
    },
  } satisfies Record<Exclude<LoggedRequests["mode"], "all">, { title: string; text: string }>,
  searched: (count: string) => `Filters search only the newest ${count} requests.`,
  requests: "Requests",
  columns: { request: "Request", latency: "Latency", address: "Address", key: "Key", when: "When" },
  milliseconds: (count: string) => `${count} ms`,
  showOlder: "Show older requests",
  noRequestsYet: "No requests yet",
  makeFirst: "Make the first request",
  whatAppears: "Requests with one of your API keys appear here, and the responses to those that fail.",
  noneMatch: "No requests match these filters",
  showAll: "Show all requests",
  dialog: {
    title: "Request",
    key: (name: string) => `Key ${name}`,
    from: (address: string, userAgent: string | null) => `From ${address}${userAgent === null ? "" : `, ${userAgent}`}`,
    copyId: "Copy request ID",
    viewMessage: "View message",
    requestBody: {
      title: "Request body",
      copy: "Copy request body",
      missing: "The request had no JSON body.",
    },
    response: { title: "Response", copy: "Copy response", missing: "No response." },
    responseNotKept: "Responses with a status below 400 are not kept.",
    notFound: "Request not found",
    whyNotFound: "Requests are kept for seven days. The link may be wrong, or the request belongs to another account.",
  },
};

/** The texts of the request log. */
export const requestsTexts = defineTexts({ en });
