import type { ReactNode } from "react";
import type { RotateApiKeyInput } from "@/server/api-keys/schema";
import type { LoggedRequests } from "@/server/request-log/schema";
import { defineTexts } from "../define-texts";

const en = {
  title: "API key",
  titleOf: (key: string) => `API key ${key}`,
  allKeys: "All API keys",
  editLimits: "Edit limits",
  revoke: "Revoke",
  notFound: "API key not found",
  whyNotFound:
    "It belongs to another account or mode, or it was revoked or expired more than 90 days ago, or is not among the latest 200 inactive keys.",
  facts: {
    title: "Details",
    state: "State",
    mode: "Mode",
    live: "Live",
    test: "Test: nothing is sent or billed",
    id: "Key ID",
    copyId: "Copy key ID",
    permissions: "Permissions",
    requests: "Requests",
    perMinute: (count: string) => `${count} per minute`,
    messages: "Messages",
    perDay: (count: string) => `${count} per day`,
    perMonth: (count: string) => `${count} per month`,
    noLimit: "No limit",
    addresses: "Addresses",
    anyAddress: "Any",
    expires: "Expires",
    revoked: "Revoked",
    lastUsed: "Last used",
    never: "Never",
    createdBy: (time: ReactNode, key: ReactNode) => (
      <>
        {time} by {key}
      </>
    ),
    createdKeys: "Keys it created",
  },
  usage: {
    title: "Usage",
    period: "Period",
    messages: "Messages",
    cost: "Cost",
    delivered: "Delivered",
    failed: "Failed or undelivered",
    usedToday: (used: string, limit: string) => `${used} of ${limit} messages today`,
    usedThisMonth: (used: string, limit: string) => `${used} of ${limit} this month`,
    used: (quotas: readonly string[]) => `Used: ${quotas.join(", ")} (UTC), including keys that it created.`,
    noMessages: "No messages were sent with this key in this period.",
    noneLeft: "No messages of this key remain in this period. Older messages of the account were deleted.",
    isPartial: (count: string) =>
      `Only the newest ${count} messages are counted. Older ones in this period are left out or were deleted.`,
    viewMessages: "View its messages",
  },
  requests: {
    title: "Recent requests",
    viewAll: "View all",
    request: "Request",
    latency: "Latency",
    milliseconds: (count: string) => `${count} ms`,
    address: "Address",
    when: "When",
    none: {
      off: "This installation keeps no requests.",
      errors: "No request of the last seven days was refused or failed. Others are not kept.",
      all: "No requests in the last seven days.",
    } satisfies Record<LoggedRequests["mode"], string>,
  },
  rotate: {
    button: "Rotate",
    title: "Rotate this API key?",
    rotated: "API key rotated",
    form: "Rotation",
    notRotated: "The key was not rotated",
    effect:
      "You get a new key with the same name, permissions and limits. Give it to your program before the current one stops working.",
    grace: "The current key works for",
    graces: {
      1: "1 hour",
      24: "24 hours",
      168: "7 days",
      0: "No longer: revoke it now",
    } satisfies Record<RotateApiKeyInput["grace_hours"], string>,
    submit: "Rotate key",
  },
};

/** The texts of the page of an API key. */
export const apiKeyTexts = defineTexts({ en });
