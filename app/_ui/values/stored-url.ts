/**
 * A URL as the service stores it: without spaces around it, and without the tabs and line breaks within it, which are no part of a
 * URL.
 */
export const storedUrl = (entered: string): string => entered.trim().replace(/[\t\n\r]/g, "");
