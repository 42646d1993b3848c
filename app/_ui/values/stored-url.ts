/**
 * A URL as the service stores it: without surrounding spaces, and without tabs and line breaks, which are not part of a URL.
 */
export const storedUrl = (entered: string): string => entered.trim().replace(/[\t\n\r]/g, "");
