import { currentLocale } from "@/app/_texts/language";

/** A time in words, by the clock of the browser. */
export const localTime = (at: string): string =>
  new Date(at).toLocaleString(currentLocale(), { dateStyle: "medium", timeStyle: "short" });
