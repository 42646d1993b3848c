import { perLocale } from "@/app/_texts/language";

const format = perLocale((locale) => new Intl.NumberFormat(locale));

/** 12345 -> "12,345". */
export const formatCount = (count: number): string => format().format(count);
