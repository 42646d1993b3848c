const format = new Intl.NumberFormat("en-US");

/** 12345 -> "12,345". */
export const formatCount = (count: number): string => format.format(count);
