/** A language of the console, as in the `lang` attribute of its pages. To add one, add its texts to each file of this folder. */
export type Language = "en";

/** The language of the page being rendered. Once there are two, this is the only place that asks for a person's choice. */
export const currentLanguage = (): Language => "en";

/** The locale by which numbers, prices and times are written. */
export const currentLocale = (): string => ({ en: "en-US" })[currentLanguage()];

/** Calls `make` once per locale and keeps the result: making a format costs a hundred times as much as using it. */
export function perLocale<Made>(make: (locale: string) => Made): () => Made {
  const known = new Map<string, Made>();
  return () => {
    const locale = currentLocale();
    const made = known.get(locale) ?? make(locale);
    known.set(locale, made);
    return made;
  };
}
