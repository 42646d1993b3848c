export const REFERENCE_HREF = "/docs";

export const hrefOf = (slug: string): string => `/docs/${slug}`;
