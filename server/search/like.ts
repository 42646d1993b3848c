/** Escapes the wildcards of LIKE, so that they match literally. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&");
