/** The guides in reading order. `slug` names the file in docs/ and the path under /docs. */
export const GUIDES = [
  { slug: "quick-start", label: "Quick start" },
  { slug: "authentication", label: "Authentication" },
  { slug: "sending", label: "Sending and segments" },
  { slug: "receiving", label: "Receiving messages" },
  { slug: "pagination", label: "Lists and pages" },
  { slug: "errors", label: "Errors" },
  { slug: "webhooks", label: "Webhooks" },
  { slug: "limits", label: "Limits" },
  { slug: "idempotency", label: "Idempotency" },
  { slug: "scenario-numbers", label: "Scenario numbers" },
  { slug: "providers", label: "Providers (operators)" },
] as const;

export const REFERENCE_HREF = "/docs";

export const hrefOf = (slug: string): string => `/docs/${slug}`;
